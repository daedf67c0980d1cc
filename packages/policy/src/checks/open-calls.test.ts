import { DEFAULTS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { callsUnder } from './calls.fixture.ts';
import type { Calls } from './check.ts';
import { countsAsOpen, openCalls } from './open-calls.ts';

const MONEY = { maxCostTotal: 1 };
const tool = (fields: object) => ({ toolPolicies: { pay: fields } });

test.each<[string, Calls[], number | null, number | null]>([
  [
    'the default for a call without a price, if money is limited',
    [callsUnder(MONEY)],
    DEFAULTS.maxOpen,
    null,
  ],
  [
    'the default under a budget',
    [callsUnder({ budgets: [{ id: 'b', scope: 'tenant', max: 1 }] })],
    DEFAULTS.maxOpen,
    null,
  ],
  [
    'the default for a tool with a price of 0',
    [callsUnder({ ...MONEY, ...tool({ cost: 0 }) })],
    DEFAULTS.maxOpen,
    null,
  ],
  ['no limit if no money is limited', [callsUnder()], null, null],
  ['no limit for a tool with a price', [callsUnder({ ...MONEY, ...tool({ cost: 1 }) })], null, null],
  [
    'no limit if calls without a price have a default estimate',
    [callsUnder({ ...MONEY, defaultEstimate: 1 })],
    null,
    null,
  ],
  [
    'no limit for a tool with tiers',
    [callsUnder({ ...MONEY, ...tool({ chargingPolicy: { type: 'TIERED', attempt: 0, success: 0 } }) })],
    null,
    null,
  ],
  ['no limit for an LLM call', [callsUnder(MONEY, 'llm_call')], null, null],
  ['no limit for a prompt', [callsUnder(MONEY, 'prompt')], null, null],
  ['the number of the policy, for a prompt too', [callsUnder({ maxOpen: 3 }, 'prompt')], 3, 3],
  ['the number of the policy, for every call', [callsUnder({ maxOpen: 3 })], 3, 3],
  ['0, if the policy states 0', [callsUnder({ maxOpen: 0 })], 0, 0],
  ['no limit if the policy lifts it', [callsUnder({ ...MONEY, maxOpen: 'unlimited' })], null, null],
  ['the smallest of several limits', [callsUnder({ maxOpen: 7 }), callsUnder({ maxOpen: 3 })], 3, 3],
  [
    'the default of one policy, although another policy has a price',
    [callsUnder(MONEY), callsUnder(tool({ cost: 1 }))],
    DEFAULTS.maxOpen,
    null,
  ],
  [
    'the default of one policy, although another policy allows more',
    [callsUnder(MONEY), callsUnder({ maxOpen: 99 })],
    DEFAULTS.maxOpen,
    99,
  ],
  ['no limit if every policy is in observe mode', [callsUnder({ maxOpen: 3, mode: 'observe' })], null, null],
])('limits the number of calls that may be open: %s', (_, ofPolicies, unpriced, priced) => {
  const mostOf = (statesEstimate: boolean) => {
    const ofKind = ofPolicies.map((one) => ({ ...one, statesEstimate }));
    const [limitOf] = openCalls.limits(ofKind);
    expect(countsAsOpen(ofKind)).toBe(limitOf !== undefined);
    return limitOf?.({ action: { agentId: 'a' } } as never)?.maxCalls ?? null;
  };
  expect([mostOf(false), mostOf(true)]).toEqual([unpriced, priced]);
});
