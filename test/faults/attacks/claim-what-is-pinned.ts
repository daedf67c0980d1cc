/**
 * The holder of a key contradicts the values that the key pins, in every way that JSON and headers allow. The key
 * pins `context.environment` to "prod" and the principal to `{ id: 'ann', role: 'user' }`. The attack needs one key:
 * this key, which publishes for the agent "pinned".
 */
import { randomUUID } from 'node:crypto';
import { type Asked, askWith, verdictOf } from './asked.ts';
import type { Attack } from './attack.ts';

const ACTION = { agentId: 'pinned', type: 'tool_call', tool: 'look' };
const ANN = { id: 'ann', role: 'user' };

/** Request bodies that contradict the pinned values. Each gets an id when it is sent. */
const LIES: readonly string[] = [
  ...[
    {},
    { context: {} },
    { context: { environment: 'test' } },
    { context: { environment: 'prod ' } },
    { context: { environment: 'PROD' } },
    { context: { environment: null } },
    { context: { environment: ['prod'] } },
    { context: { environment: { toString: 'prod' } } },
    { context: { Environment: 'test' } },
    { context: { 'context.environment': 'test', environment: 'prod' } },
    { principal: { id: 'root', role: 'admin' } },
    { principal: { ...ANN, role: 'admin' } },
    { principal: { id: 'ann' } },
    { principal: null },
    { pinned: ['context.environment', 'action.principal'], pinnedBy: 'me', context: { environment: 'test' } },
    { context: { environment: 'test' }, mandateId: 'all', attempt: 2 },
  ].map((fields) => JSON.stringify({ ...ACTION, ...fields })),
  `{"agentId":"pinned","type":"tool_call","tool":"look","context":{"environment":"prod"},"context":{"environment":"test"}}`,
  `{"agentId":"pinned","type":"tool_call","tool":"look","context":{"environment":"prod","environment":"test"}}`,
  `{"agentId":"pinned","type":"tool_call","tool":"look","context":{"__proto__":{"environment":"test"}}}`,
  `{"agentId":"pinned","type":"tool_call","tool":"look","__proto__":{"context":{"environment":"test"}}}`,
  `{"agentId":"pinned","type":"tool_call","tool":"look","context":{"env\\u0069ronment":"test"}}`,
  `{"agentId":"pinned","type":"tool_call","tool":"look","principal":{"id":"ann","role":"user","role":"admin"}}`,
];
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { 'mandate-pinned': '' },
  { 'mandate-pinned': '["context.environment"]' },
  { 'mandate-pinned': 'not json' },
];

type Recorded = {
  decision?: {
    action?: { context?: Record<string, unknown>; principal?: unknown; pinned?: string[]; pinnedBy?: string };
  };
};

/** Rejects if the record of a decision differs from the values that the key pins. */
export const claimWhatIsPinned: Attack = async ({ url, keys }, until) => {
  const [key = ''] = keys;
  const send = (body: string, headers: Readonly<Record<string, string>> = {}) =>
    askWith(url, key, headers)(
      'POST',
      '/v1/actions?waitMs=20000',
      body.replace('{', `{"id":"${randomUUID()}",`),
    );

  const truth = verdictOf(await send(JSON.stringify(ACTION)));
  if (truth !== 'ALLOW ALLOWED') throw new Error(`an action without a claim is not allowed: ${truth}`);
  do {
    let decided = 0;
    for (const headers of HEADERS) {
      for (const lie of LIES) {
        const asked = await send(lie, headers);
        if (!saysWhatIsPinned(asked, key))
          throw new Error(`${lie} was decided: ${JSON.stringify(asked.body)}`);
        if (asked.body.decision !== undefined) decided += 1;
      }
    }
    if (decided === 0) throw new Error('every request was refused, even those that agree with the key');
  } while (!until.aborted);
};

/** True if the decision's record has the pinned values, or if the request was refused and has no record. */
function saysWhatIsPinned({ body }: Asked, key: string): boolean {
  const { action } = (body as Recorded).decision ?? {};
  if (action === undefined) return true;
  const { context = {}, principal, pinned = [], pinnedBy = ' ' } = action;
  return (
    Object.hasOwn(context, 'environment') &&
    context.environment === 'prod' &&
    JSON.stringify(principal) === JSON.stringify(ANN) &&
    pinned.join() === 'context.environment,action.principal' &&
    key.includes(pinnedBy)
  );
}
