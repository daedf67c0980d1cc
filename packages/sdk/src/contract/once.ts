/** Tests calls that are requested several times. */
import { expect, test } from 'vitest';
import type { CallOptions } from '../types.ts';
import {
  type AgentUnder,
  atOnce,
  codeOf,
  costing,
  counting,
  DOLLAR,
  failing,
  PAY,
  refusalOf,
  tally,
} from './scene.ts';

export function once(agentUnder: AgentUnder): void {
  test('three calls with one idempotency key: one runs', async () => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
    const { runs, pay } = counting();
    const codes = await atOnce(3, () => tools.run('pay', {}, pay, { idempotencyKey: 'order-7' }));
    expect(tally(codes)).toEqual({ ran: 1, DUPLICATE_ACTION: 2 });
    expect(await codeOf(tools.run('pay', {}, pay, { idempotencyKey: 'order-7' }))).toBe('DUPLICATE_ACTION');
    expect([runs(), await mandate.getCost(agentId)]).toEqual([1, costing(5)]);
  });

  test('a framework that runs a call twice gets the same result, and the tool runs once', async () => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
    const { runs, pay } = counting();
    const call = { callId: 'call_0', runId: `run-${agentId}` };
    expect(await atOnce(3, () => tools.run('pay', {}, pay, call))).toEqual(['ran', 'ran', 'ran']);
    expect([runs(), await mandate.getCost(agentId)]).toEqual([1, costing(5)]);
  });

  test.each<[string, CallOptions]>([
    ['another context', { context: { ticket: 8 } }],
    ['another estimate', { estimatedCostMicros: 7 * DOLLAR }],
    ['another parent', { parentActionId: 'act_1' }],
  ])('a call id with %s is refused while the call runs, and after it', async (_what, other) => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
    const { runs, pay } = counting();
    const call = { callId: 'call_0', runId: `run-${agentId}` };
    const [started, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const gated = () => {
      started.resolve();
      return end.promise;
    };
    const first = tools.run('pay', {}, gated, call);
    await started.promise;
    const again = () => refusalOf(tools.run('pay', {}, pay, { ...call, ...other }));
    expect(await again()).toMatchObject({ code: 'DUPLICATE_ACTION', retryable: false });
    end.resolve();
    await first;
    expect((await again()).remedy).toContain('Give each action its own id');
    expect([runs(), await mandate.getCost(agentId)]).toEqual([0, costing(5)]);
  });

  test('a call id with other arguments is another call', async () => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
    const { runs, pay } = counting();
    const call = { callId: 'call_0', runId: `run-${agentId}` };
    for (const to of ['ann', 'bob', 'ann']) await tools.run('pay', { to }, pay, call);
    expect([runs(), await mandate.getCost(agentId)]).toEqual([2, costing(10)]);
  });

  test('a failed call is retried with its call id, but not with other content', async () => {
    const { tools } = await agentUnder({ ...PAY, maxCostTotal: 100 });
    const call = { callId: 'call_0', context: { ticket: 7 } };
    await expect(tools.run('pay', {}, failing, call)).rejects.toThrow('the bank is closed');
    const other = { ...call, context: { ticket: 8 } };
    expect(await codeOf(tools.run('pay', {}, () => 'paid', other))).toBe('DUPLICATE_ACTION');
    expect(await tools.run('pay', {}, () => 'paid', call)).toBe('paid');
  });

  test('a call that was decided earlier starts once, with this decision', async () => {
    const { mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
    const agent = mandate.agent({ agentId });
    const options = { callId: 'call_0', runId: `run-${agentId}` };
    const call = { type: 'tool_call', tool: 'pay', args: { to: 'ann' }, options } as const;
    const { decision } = await agent.ask(call);
    const running = await agent.start(call);
    expect(running.decision.id).toBe(decision.id);
    expect(await codeOf(agent.start(call))).toBe('DUPLICATE_ACTION');
    await running.settle({ status: 'success' });
    expect(await mandate.getCost(agentId)).toEqual(costing(5));
  });

  test('a failed call is retried with the same idempotency key, as the next attempt', async () => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100 });
    const key = { idempotencyKey: 'order-7' };
    await expect(tools.run('pay', {}, failing, key)).rejects.toThrow('the bank is closed');
    await expect(tools.run('pay', {}, failing, key)).rejects.toThrow('the bank is closed');
    expect(await tools.run('pay', {}, () => 'paid', key)).toBe('paid');
    const again = await refusalOf(tools.run('pay', {}, () => 'paid', key));
    expect(again).toMatchObject({ code: 'DUPLICATE_ACTION', retryable: false });
    expect(again.decision?.duplicateOf?.attempt).toBe(3);
    expect(await mandate.getCost(agentId)).toEqual(costing(5));
  });

  test('a second use of a key with other arguments is refused, also after a failure', async () => {
    const { tools } = await agentUnder({});
    const key = { idempotencyKey: 'order-7' };
    await expect(tools.run('pay', { to: 'ann' }, failing, key)).rejects.toThrow('the bank is closed');
    expect(await codeOf(tools.run('pay', { to: 'bob' }, () => null, key))).toBe('DUPLICATE_ACTION');
  });
}
