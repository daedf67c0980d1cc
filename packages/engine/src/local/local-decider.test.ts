import { createMemoryLedger, type Ledger } from '@mandate/ledger';
import { compileActionRedaction, mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { manualClock } from '@mandate/runtime';
import type { ActionRequested, Outcome, ToolCall } from '@mandate/schemas';
import { expect, test, vi } from 'vitest';
import { localDecider } from './local-decider.ts';

const clock = manualClock(Date.parse('2026-03-01T12:00:00Z'));

function decider(mandate: string, ledger: Ledger = createMemoryLedger({ clock, epoch: 'ep_1' })) {
  const loaded = loadMandates(`version: 1\nid: m\nagents: ["*"]\n${mandate}`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const control = mandatesOfFile(loaded.mandates, 0);
  const local = localDecider({ ledger, control, redact: compileActionRedaction(), clock });
  return {
    decide: (record: ActionRequested) => local.deliverRequest(record)(),
    settle: async (reported: Outcome) => local.deliverOutcome(reported)(),
    ledger,
    ...local,
  };
}

function ask(id: string, action: Partial<ToolCall> = {}) {
  return {
    event: 'action.requested' as const,
    action: { id, agentId: 'bot', type: 'tool_call' as const, tool: 'pay', ...action },
  };
}

test('charges an action when it is allowed, and settles it by its outcome', async () => {
  const { decide, settle, ledger } = decider('maxCostTotal: 1\ntoolPolicies: { pay: { cost: 0.6 } }');
  expect(await decide(ask('a'))).toMatchObject({ verdict: 'ALLOW', chargedMicros: 600_000 });
  expect(await decide(ask('b'))).toMatchObject({ code: 'COST_LIMIT_EXCEEDED' });
  const settled = await settle({
    actionId: 'a',
    agentId: 'bot',
    status: 'success',
    actualCostMicros: 700_000,
  });
  expect(settled).toMatchObject({ kind: 'settled', chargedMicros: 700_000 });
  expect(await ledger.unpublished('default')).toEqual([]);
});

test('treats every outcome as the own report of the agent, so that maxReleases limits what it gives back', async () => {
  const { decide, settle } = decider(
    'maxReleases: { calls: 0, percent: 0 }\ntoolPolicies: { pay: { cost: 0.6 } }',
  );
  await decide(ask('a'));
  const settled = await settle({ actionId: 'a', agentId: 'bot', status: 'cancelled' });
  expect(settled).toMatchObject({ chargedMicros: 600_000, code: 'RELEASE_REFUSED' });
});

test('checks the arguments as they are, and redacts them in the decision', async () => {
  const { decide } = decider(
    'toolPolicies: { pay: { argumentValidation: { schema: { type: object, properties: { token: { type: string, maxLength: 3 } } } } } }',
  );
  const short = await decide(ask('a', { args: { token: 'xyz' } }));
  const long = await decide(ask('b', { args: { token: 'xyzz' } }));
  expect([short.code, long.code]).toEqual(['ALLOWED', 'ARGUMENT_VALIDATION_FAILED']);
  expect(JSON.stringify([short, long])).not.toContain('xyz');
});

test('shares a ledger with other deciders, and gives their decisions different ids', async () => {
  const one = decider('maxCostTotal: 1\ntoolPolicies: { pay: { cost: 0.6 } }');
  const other = decider('maxCostTotal: 1\ntoolPolicies: { pay: { cost: 0.6 } }', one.ledger);
  const decisions = [await one.decide(ask('a')), await other.decide(ask('b'))];
  expect(decisions.map(({ code }) => code)).toEqual(['ALLOWED', 'COST_LIMIT_EXCEEDED']);
  expect(new Set(decisions.map(({ id }) => id)).size).toBe(2);
});

test('decides a request once, even if the answer of the ledger was lost', async () => {
  const ledger = createMemoryLedger({ clock, epoch: 'ep_1' });
  const confirm = vi.spyOn(ledger, 'confirm').mockRejectedValueOnce(new Error('the answer was lost'));
  const { deliverRequest } = decider('maxCostTotal: 1\ntoolPolicies: { pay: { cost: 0.6 } }', ledger);
  const delivery = deliverRequest(ask('a'));
  await expect(delivery()).rejects.toThrow('the answer was lost');
  const decision = await delivery();
  expect(decision).toMatchObject({ code: 'ALLOWED', chargedMicros: 600_000 });
  expect(await delivery()).toEqual(decision);
  expect(confirm).toHaveBeenCalledTimes(3);
  expect(await deliverRequest(ask('b'))()).toMatchObject({ code: 'COST_LIMIT_EXCEEDED' });
});

test('follows the real time: the lease of a call runs out, and the next attempt is allowed', async () => {
  const { decide } = decider('toolPolicies: { pay: { executionLeaseMs: 1000 } }');
  await decide(ask('a'));
  expect((await decide(ask('a', { attempt: 2 }))).code).toBe('DUPLICATE_ACTION');
  clock.advance(1_000);
  expect((await decide(ask('a', { attempt: 2 }))).code).toBe('ALLOWED');
});

test('prices token usage by the decided model, and refuses an outcome that is not valid', async () => {
  const { decide, settle } = decider('maxCostTotal: 1');
  const call = { type: 'llm_call' as const, provider: 'openai', model: 'gpt-4o' };
  const action = { ...call, id: 'a', agentId: 'bot', inputTokens: 1_000, maxOutputTokens: 100 };
  expect(await decide({ event: 'action.requested', action })).toMatchObject({ chargedMicros: 3_500 });
  const outcome = { actionId: 'a', agentId: 'bot', status: 'success' as const };
  const wrong = { inputTokens: 1, cachedInputTokens: 2, outputTokens: 0 };
  await expect(settle({ ...outcome, usage: wrong })).rejects.toThrow('inputTokens');
  await expect(settle({ ...outcome, actualCostMicros: Number.NaN })).rejects.toThrow('actualCostMicros');
  const usage = { inputTokens: 1_000, cachedInputTokens: 800, outputTokens: 10 };
  expect(await settle({ ...outcome, usage })).toMatchObject({ chargedMicros: 1_600, usageMicros: 1_600 });
});
