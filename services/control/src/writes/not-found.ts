import { HttpProblem } from '@mandate/server';

const CODES = {
  agent: 'AGENT_NOT_FOUND',
  key: 'KEY_NOT_FOUND',
  grant: 'GRANT_NOT_FOUND',
  policy: 'POLICY_NOT_FOUND',
  manifest: 'MANIFEST_NOT_FOUND',
  rule: 'RULE_NOT_FOUND',
  tenant: 'TENANT_NOT_FOUND',
  store: 'STORE_NOT_FOUND',
} as const;

export function notFound(what: keyof typeof CODES, id: string): HttpProblem {
  return new HttpProblem(404, CODES[what], `there is no ${what} "${id}"`, {
    remedy:
      REMEDIES[what] ?? `List them to see which exist: \`mandate ${LISTED_BY[what] ?? `${what}s list`}\`.`,
  });
}

/** The commands that do not have the name of the list. */
const LISTED_BY: Partial<Record<keyof typeof CODES, string>> = {
  key: 'agents keys list',
  policy: 'policies list',
};

const REMEDIES: Partial<Record<keyof typeof CODES, string>> = {
  grant: 'Grants are forgotten some time after they end. Their records stay on the log.',
  store: 'Show the policy: its field `governance.categories` names the stores.',
};
