import type { ActionRequested } from '@mandate/schemas';
import { expect, test, vi } from 'vitest';
import { enginePoint } from './engine-point.ts';
import { MemoryStateManager } from './state.ts';

const MANDATE = { toolPolicies: { pay: { cost: 5 } } };

/** A mode that repeats a failed step once, with the state that `reopened` returns. */
function scene(reopened: (state: MemoryStateManager) => MemoryStateManager = (state) => state) {
  const state = new MemoryStateManager();
  const point = enginePoint(
    { mandate: MANDATE },
    { state, open: () => state, step: (work) => work(state).catch(() => work(reopened(state))) },
  );
  const loseAnswer = () => {
    vi.spyOn(state.ledger, 'confirm').mockRejectedValueOnce(new Error('the answer was lost'));
  };
  const decide = (id: string) => {
    const action = { id, agentId: 'bot', type: 'tool_call', tool: 'pay', args: {} };
    const json = JSON.stringify({ event: 'action.requested', action });
    const read = point.readAction(json, json);
    if (!read.ok) throw new Error(read.fault.reason);
    return point.decide(read.value as ActionRequested);
  };
  const cost = () => [state.callsOf('bot'), state.costOf('bot').totalMicros];
  return { state, point, loseAnswer, decide, cost };
}

const failed = { actionId: 'a', attempt: 1, agentId: 'bot', status: 'failure' } as const;

test('a request that is decided again after a lost answer gets its first decision', async () => {
  const { loseAnswer, decide, cost } = scene();
  loseAnswer();
  expect(await decide('a')).toMatchObject({ code: 'ALLOWED', kind: 'first' });
  expect(cost()).toEqual([1, 5_000_000]);
});

test('a request that is decided again with another state is delivered to its ledger', async () => {
  const other = new MemoryStateManager();
  const { loseAnswer, decide, cost } = scene(() => other);
  loseAnswer();
  expect(await decide('a')).toMatchObject({ code: 'ALLOWED', kind: 'first' });
  expect([cost(), other.callsOf('bot')]).toEqual([[0, 0], 1]);
  expect(await other.ledger.open('default')).toHaveLength(1);
});

test('an outcome that is settled again after a lost answer gives its charge back once', async () => {
  const { point, state, loseAnswer, decide, cost } = scene();
  await decide('a');
  const confirm = vi.spyOn(state.ledger, 'confirm').mockRejectedValue(new Error('Redis is away'));
  const outcome = { ...failed };
  await expect(point.settle(outcome, 'tool_call')).rejects.toThrow('Redis is away');
  confirm.mockRestore();
  loseAnswer();
  await point.settle(outcome, 'tool_call');
  expect(cost()).toEqual([1, 0]);
  await point.settle({ ...failed }, 'tool_call');
  expect(cost()).toEqual([1, 0]);
});
