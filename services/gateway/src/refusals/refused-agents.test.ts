import { manualClock } from '@mandate/runtime';
import { quotasInForce, type TenantQuotas } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { RefusedAgents } from './refused-agents.ts';

const FEW: TenantQuotas = {
  refusals: { perSecond: 10, burst: 100 },
  refusalsPerAgent: { perSecond: 1, burst: 30 },
};

function counting(quotas: TenantQuotas = FEW, known: readonly string[] = []) {
  const clock = manualClock(1_000_000);
  const inForce = quotasInForce(quotas).refusals;
  const refused = new RefusedAgents({
    quotas: () => inForce,
    isKnown: (_, agentId) => known.includes(agentId),
    clock,
  });
  return {
    clock,
    refused,
    held: (agentId: string, count = 1) => refused.held('acme', new Map([[agentId, count]])),
    refuse(agentId: string, times = 1) {
      for (let at = 0; at < times; at += 1) refused.refused('acme', agentId);
    },
  };
}

test('an agent that was refused as often as its limit permits must wait until it may be refused again', () => {
  const { clock, held, refuse } = counting();
  refuse('bot', 19);
  expect(held('bot', 30)).toBe(null);
  refuse('bot', 11);
  expect(held('bot')).toEqual({ agentId: 'bot', of: 'agent', waitMs: 1_000 });
  clock.advance(999);
  expect(held('bot')?.waitMs).toBe(1);
  clock.advance(1);
  expect(held('bot')).toBe(null);
  // The agent is in a loop, so each action in its list counts as a refusal. Only one refusal is left for it.
  expect(held('bot', 2)?.waitMs).toBe(1_000);
});

test('an open action of an agent in a loop counts as refused, until its answer comes or a minute has passed', () => {
  const { clock, refused, held, refuse } = counting();
  refuse('bot', 20);
  refused.sent('acme', new Map([['bot', 10]]));
  expect(held('bot')?.of).toBe('agent');
  refuse('bot', 1);
  refused.allowed('acme', 'bot');
  expect(held('bot', 50)).toBe(null);
  refuse('bot', 20);
  refused.sent('acme', new Map([['bot', 100]]));
  clock.advance(59_999);
  refuse('bot', 1);
  expect(held('bot')?.of).toBe('agent');
  clock.advance(1);
  expect(held('bot')).toBe(null);
});

test('a flood of made-up agents delays unknown agents, but no agent that was allowed something', () => {
  const { clock, refused, held, refuse } = counting(FEW, ['registered']);
  refused.allowed('acme', 'honest');
  for (let at = 0; at < 100; at += 1) refuse(`made-up-${at}`);
  expect(held('made-up-101')).toEqual({ agentId: 'made-up-101', of: 'tenant', waitMs: 100 });
  expect(held('made-up-1')?.of).toBe('tenant');
  expect([held('honest'), held('registered')]).toEqual([null, null]);
  expect(refused.held('globex', new Map([['made-up-1', 1]]))).toBe(null);
  refuse('honest');
  expect(held('honest')?.of).toBe('tenant');
  clock.advance(1_000);
  expect([held('honest'), held('made-up-101')]).toEqual([null, null]);
});

test('an ALLOW exempts an agent from the quota of its tenant for ten minutes', () => {
  const { clock, refused, held, refuse } = counting();
  refused.allowed('acme', 'honest');
  clock.advance(599_999);
  for (let at = 0; at < 100; at += 1) refuse(`made-up-${at}`);
  expect(held('honest')).toBe(null);
  clock.advance(1);
  expect(held('honest')?.of).toBe('tenant');
});

test('a list waits for the agent that must wait longest', () => {
  const { refused, refuse } = counting();
  refuse('one', 31);
  refuse('other', 30);
  refuse('more', 5);
  const counts = new Map([
    ['more', 1],
    ['other', 1],
    ['one', 1],
  ]);
  expect(refused.held('acme', counts)).toMatchObject({ of: 'agent', waitMs: 1_000 });
  expect(refused.held('acme', new Map([['more', 1]]))).toBe(null);
});

test('if the quota is zero refusals, an agent that was refused once must wait permanently', () => {
  const { held, refuse } = counting({ refusalsPerAgent: { perSecond: 0, burst: 0 } });
  expect(held('bot')).toBe(null);
  refuse('bot');
  expect(held('bot')?.waitMs).toBe(Number.POSITIVE_INFINITY);
});

test('counts at most 50,000 agents of a tenant, and 5,000 more until it looks for idle agents', () => {
  const { refused, refuse } = counting();
  for (let at = 0; at < 65_000; at += 1) refuse(`made-up-${at}`);
  expect(refused.size).toBeLessThanOrEqual(55_000);
});

test('does not forget an agent that must wait, however many others are refused', () => {
  const { held, refuse } = counting({ ...FEW, refusals: { perSecond: 10, burst: 100_000 } });
  refuse('bot', 30);
  for (let at = 0; at < 6_000; at += 1) refuse(`made-up-${at}`);
  expect(held('bot')).toEqual({ agentId: 'bot', of: 'agent', waitMs: 1_000 });
});
