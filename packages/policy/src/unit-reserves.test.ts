import type { LlmCall, UnitLimit } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { callsUnder } from './checks/calls.fixture.ts';
import { unitLimits } from './checks/unit-limits.ts';
import { knownCall } from './models/known-call.ts';
import { unitReservesOf } from './unit-reserves.ts';

const LLM: LlmCall = { id: 'a', agentId: 'a', type: 'llm_call', model: 'homegrown', inputTokens: 1_000 };

function reserves(...policies: readonly object[]) {
  const calls = policies.map((fields) => callsUnder(fields, 'llm_call'));
  return unitReservesOf(calls)?.(LLM, knownCall(LLM), 0) ?? null;
}
const reserve = (...policies: readonly object[]) => reserves(...policies)?.tokens ?? null;

test('reserves no tokens if no policy limits tokens, or if the action is not an LLM call', () => {
  expect(reserve({ maxCostTotal: 1 })).toBeNull();
  expect(unitReservesOf([callsUnder({ maxTokensTotal: 1 })])).toBeNull();
});

test('of the policies that limit tokens, applies the one that reserves the most', () => {
  const assuming = (maxOutputTokens: number, more: object = { maxTokensTotal: 5_000 }) => ({
    ...more,
    defaultTokens: { maxOutputTokens },
  });
  expect(reserve(assuming(100), assuming(300), assuming(200))).toMatchObject({ reserve: 1_300 });
  expect(reserve(assuming(100), assuming(900, {}))).toMatchObject({ reserve: 1_100 });
});

test('charges by attempt if one policy says so, even a policy that does not limit tokens', () => {
  const attempt = { defaultChargingPolicy: { type: 'ATTEMPT_BASED' } };
  const tiered = { defaultChargingPolicy: { type: 'TIERED', attempt: 1, success: 1 } };
  const charging = (...policies: readonly object[]) => reserve(...policies)?.settling.charging;
  expect(charging({ maxTokensTotal: 1 })).toBe('SUCCESS_BASED');
  expect(charging({ maxTokensTotal: 1, ...tiered })).toBe('SUCCESS_BASED');
  expect(charging({ maxTokensTotal: 1 }, attempt)).toBe('ATTEMPT_BASED');
});

test("limits what the agent's own reports give back to the smallest number of calls of all policies, in calls of this size", () => {
  const assumes = { maxTokensTotal: 1, defaultTokens: { maxOutputTokens: 0 } };
  const releases = (...all: readonly (object | 'unlimited')[]) =>
    reserve(...all.map((maxReleases) => ({ ...assumes, maxReleases })))?.settling.releases;
  expect(releases({ calls: 3, percent: 50 }, { calls: 2, percent: 60 })).toEqual({
    amount: 2_000,
    percent: 50,
  });
  expect(releases('unlimited')).toBeNull();
});

test('reserves one tool call if a policy limits tool calls, settles it by the same rules, and caps the reported number', () => {
  expect(reserves({ maxTokensTotal: 1 })?.toolCalls).toBeUndefined();
  const attempt = { defaultChargingPolicy: { type: 'ATTEMPT_BASED' }, maxReleases: { calls: 3, percent: 5 } };
  expect(reserves({ maxToolCallsTotal: 9 }, attempt)).toEqual({
    toolCalls: {
      reserve: 1,
      settling: { charging: 'SUCCESS_BASED', most: 100, releases: { amount: 3, percent: 5 } },
    },
  });
  const window = { id: 'w', scope: 'tenant', maxToolCalls: 4, windowMs: 1_000 };
  expect(Object.keys(reserves({ toolCallsPerWindow: [window], maxTokensTotal: 1 }) ?? {})).toEqual([
    'tokens',
    'toolCalls',
  ]);
});

test('says for each limit on a counter whether the call fits', () => {
  const limit: UnitLimit = {
    ...{ kind: 'tokens', scope: 'agent', subject: 'a', id: 'total', windowMs: null, most: 500 },
    otherLimits: [{ most: 700 }, { most: 900 }],
  };
  const fact = { kind: 'tokens', used: 600, ok: false, retryAfterMs: null } as const;
  const evidence = unitLimits.tokens.evidence(limit, fact, 200);
  expect(evidence).toMatchObject({
    used: 600,
    reserve: 200,
    most: 500,
    otherLimits: [
      { most: 700, result: 'block' },
      { most: 900, result: 'pass' },
    ],
  });
});
