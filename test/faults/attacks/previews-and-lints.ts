/**
 * A viewer sends the slowest requests of the control service: previews of documents of maximum size, and the lint of
 * a tenant with many policies. The attack needs two keys of one tenant: one may read, and one may author.
 */

import { askOften } from './ask-often.ts';
import { askWith, expectTo } from './asked.ts';
import type { Attack } from './attack.ts';

const POLICIES = 60;
const PREVIEWED_POLICIES = 160;

const globs = (policy: number, many: number) => Array.from({ length: many }, (_, n) => `a*${n}*b${policy}*`);

export const previewsAndLints: Attack = async (target, until) => {
  const [reader = '', author = ''] = target.keys;
  const write = askWith(target.url, author);
  for (let n = 0; n < POLICIES && !until.aborted; n += 1) {
    const policy = { version: 1, id: `p${n}`, allowedTools: globs(n, 50), deniedTools: globs(n, 20) };
    await expectTo(write('PUT', `/v1/policies/p${n}`, policy), 'write a policy');
    const rule = { version: 1, id: `r${n}`, policy: `p${n}`, groups: [`g${n % 5}`] };
    await expectTo(write('PUT', `/v1/rules/r${n}`, rule), 'write a rule');
  }
  const preview = JSON.stringify({
    action: { id: 'x', agentId: 'agent', type: 'tool_call', tool: 't' },
    policies: Array.from({ length: PREVIEWED_POLICIES }, (_, n) => withSchema(n)),
  });
  await askOften(target, until, 12, (nth) =>
    nth % 3 === 0
      ? { method: 'POST', path: '/v1/mandates/preview', key: reader, body: preview }
      : { method: 'GET', path: '/v1/lint', key: reader },
  );
};

/** Returns a policy with a schema of 100 fields. Names and limits differ from those of every other policy. */
function withSchema(policy: number): object {
  const fields = Array.from({ length: 100 }, (_, n) => [
    `f${policy}_${n}`,
    { type: 'string', maxLength: 10 + n },
  ]);
  const schema = { type: 'object', properties: Object.fromEntries(fields) };
  return { version: 1, id: `q${policy}`, toolPolicies: { t: { argumentValidation: { schema } } } };
}
