import { HttpProblem } from '@mandate/runtime';

const CODES = {
  agent: 'AGENT_NOT_FOUND',
  key: 'KEY_NOT_FOUND',
  policy: 'POLICY_NOT_FOUND',
  rule: 'RULE_NOT_FOUND',
} as const;

export function notFound(what: keyof typeof CODES, id: string): HttpProblem {
  return new HttpProblem(404, CODES[what], `there is no ${what} "${id}"`, {
    remedy: 'List them to see which there are.',
  });
}
