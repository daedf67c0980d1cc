import type { LlmCall, TokenLimit } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { callsUnder } from './checks/calls.fixture.ts';
import { tokenLimits } from './checks/token-limits.ts';
import { knownCall } from './models/known-call.ts';
import { tokenReserveOf } from './token-reserve.ts';

const LLM: LlmCall = { id: 'a', agentId: 'a', type: 'llm_call', model: 'homegrown', inputTokens: 1_000 };

function reserve(...policies: readonly object[]) {
  const calls = policies.map((fields) => callsUnder(fields, 'llm_call'));
  return tokenReserveOf(calls)?.(LLM, knownCall(LLM), 0) ?? null;
}

test('reserves no tokens if no policy limits them, or if the action is no LLM call', () => {
  expect(reserve({ maxCostTotal: 1 })).toBeNull();
  expect(tokenReserveOf([callsUnder({ maxTokensTotal: 1 })])).toBeNull();
});

test('reserves the most tokens of all policies that limit them', () => {
  const assuming = (maxOutputTokens: number, more: object = { maxTokensTotal: 5_000 }) => ({
    ...more,
    defaultTokens: { maxOutputTokens },
  });
  expect(reserve(assuming(100), assuming(300), assuming(200))).toMatchObject({ reserveTokens: 1_300 });
  expect(reserve(assuming(100), assuming(900, {}))).toMatchObject({ reserveTokens: 1_100 });
});

test('charges by attempt if one policy does, also a policy that does not limit tokens', () => {
  const attempt = { defaultChargingPolicy: { type: 'ATTEMPT_BASED' } };
  const tiered = { defaultChargingPolicy: { type: 'TIERED', attempt: 1, success: 1 } };
  const charging = (...policies: readonly object[]) => reserve(...policies)?.settling.charging;
  expect(charging({ maxTokensTotal: 1 })).toBe('SUCCESS_BASED');
  expect(charging({ maxTokensTotal: 1, ...tiered })).toBe('SUCCESS_BASED');
  expect(charging({ maxTokensTotal: 1 }, attempt)).toBe('ATTEMPT_BASED');
});

test('bounds what own reports give back by the fewest calls of all policies, in calls of this size', () => {
  const assumes = { maxTokensTotal: 1, defaultTokens: { maxOutputTokens: 0 } };
  const releases = (...all: readonly (object | 'unlimited')[]) =>
    reserve(...all.map((maxReleases) => ({ ...assumes, maxReleases })))?.settling.releases;
  expect(releases({ calls: 3, percent: 50 }, { calls: 2, percent: 60 })).toEqual({
    tokens: 2_000,
    percent: 50,
  });
  expect(releases('unlimited')).toBeNull();
});

test('says for each limit on a counter whether the call fits', () => {
  const limit: TokenLimit = {
    ...{ kind: 'tokens', scope: 'agent', subject: 'a', id: 'total', windowMs: null, maxTokens: 500 },
    otherLimits: [{ maxTokens: 700 }, { maxTokens: 900 }],
  };
  const fact = { kind: 'tokens', usedTokens: 600, ok: false, retryAfterMs: null } as const;
  const evidence = tokenLimits.evidence(limit, fact, 200);
  expect(evidence).toMatchObject({
    usedTokens: 600,
    callTokens: 200,
    maxTokens: 500,
    otherLimits: [
      { maxTokens: 700, result: 'block' },
      { maxTokens: 900, result: 'pass' },
    ],
  });
});
