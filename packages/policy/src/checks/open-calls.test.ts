import { DEFAULTS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { compilePolicy } from '../mandate/compile-mandate.ts';
import type { Calls } from './check.ts';
import { countsAsOpen, openCalls } from './open-calls.ts';

/** Calls of `pay` under a policy with these fields. */
function calls(fields: object = {}, type: Calls['type'] = 'tool_call'): Calls {
  const read = compilePolicy({ version: 1, id: 'p', ...fields } as never, 'p@1');
  if (!read.ok) throw new Error('a policy was expected');
  const tool = read.compiled.tools.get('pay') ?? null;
  return { type, statesEstimate: false, policy: read.compiled, at: 0, tool };
}

const MONEY = { maxCostTotal: 1 };
const tool = (fields: object) => ({ toolPolicies: { pay: fields } });

test.each<[string, Calls[], number | null, number | null]>([
  ['the default for a call without a price, where money is limited', [calls(MONEY)], DEFAULTS.maxOpen, null],
  [
    'the default under a budget',
    [calls({ budgets: [{ id: 'b', scope: 'tenant', max: 1 }] })],
    DEFAULTS.maxOpen,
    null,
  ],
  [
    'the default for a tool that costs nothing',
    [calls({ ...MONEY, ...tool({ cost: 0 }) })],
    DEFAULTS.maxOpen,
    null,
  ],
  ['nothing where no money is limited', [calls()], null, null],
  ['nothing of a tool with a price', [calls({ ...MONEY, ...tool({ cost: 1 }) })], null, null],
  [
    'nothing where calls without a price have an estimate',
    [calls({ ...MONEY, defaultEstimate: 1 })],
    null,
    null,
  ],
  [
    'nothing of a tool that costs by tiers',
    [calls({ ...MONEY, ...tool({ chargingPolicy: { type: 'TIERED', attempt: 0, success: 0 } }) })],
    null,
    null,
  ],
  ['nothing of a call of a model', [calls(MONEY, 'llm_call')], null, null],
  ['what the policy says, for every call', [calls({ maxOpen: 3 })], 3, 3],
  ['none at all', [calls({ maxOpen: 0 })], 0, 0],
  ['nothing where the policy lifts the limit', [calls({ ...MONEY, maxOpen: 'unlimited' })], null, null],
  ['the least of several', [calls({ maxOpen: 7 }), calls({ maxOpen: 3 })], 3, 3],
  [
    'the default of one policy, where another has a price',
    [calls(MONEY), calls(tool({ cost: 1 }))],
    DEFAULTS.maxOpen,
    null,
  ],
  [
    'the default of one policy, where another allows more',
    [calls(MONEY), calls({ maxOpen: 99 })],
    DEFAULTS.maxOpen,
    99,
  ],
  ['nothing where every policy only watches', [calls({ maxOpen: 3, mode: 'observe' })], null, null],
])('how many calls may be open: %s', (_, ofPolicies, unpriced, priced) => {
  const mostOf = (statesEstimate: boolean) => {
    const ofKind = ofPolicies.map((one) => ({ ...one, statesEstimate }));
    const [limitOf] = openCalls.limits(ofKind);
    expect(countsAsOpen(ofKind)).toBe(limitOf !== undefined);
    return limitOf?.({ action: { agentId: 'a' } } as never).maxCalls ?? null;
  };
  expect([mostOf(false), mostOf(true)]).toEqual([unpriced, priced]);
});
