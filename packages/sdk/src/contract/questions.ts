/** Tests calls that a person must approve. */
import { expect, test } from 'vitest';
import { type AgentUnder, codeOf, costing, counting, deferralOf, refusalOf } from './scene.ts';

export function questions(agentUnder: AgentUnder): void {
  const asking = { maxCostTotal: 100, toolPolicies: { pay: { cost: 5, requiresConfirmation: true } } };
  const args = { to: 'ann' };

  test('an approved call runs once, and an unanswered one does not run', async () => {
    const { tools, mandate, agentId } = await agentUnder(asking);
    const { runs, pay } = counting();
    const deferred = await deferralOf(tools.run('pay', args, pay));
    const again = { actionId: deferred.action.id };
    expect((await deferralOf(tools.run('pay', args, pay, again))).approvalId).toBe(deferred.approvalId);
    await mandate.approve(deferred, { by: 'op', reason: 'fine' });
    expect(await tools.run('pay', args, pay, again)).toBe('paid');
    expect(await codeOf(tools.run('pay', args, pay, again))).toBe('DUPLICATE_ACTION');
    expect([runs(), await mandate.getCost(agentId)]).toEqual([1, costing(5)]);
  });

  test('an approved call with a call id runs, and a request with other content is refused', async () => {
    const { tools, mandate, agentId } = await agentUnder(asking);
    const { runs, pay } = counting();
    const call = { callId: 'call_0', runId: `run-${agentId}`, context: { ticket: 7 } };
    const other = { ...call, context: { ticket: 8 } };
    const deferred = await deferralOf(tools.run('pay', args, pay, call));
    expect(await codeOf(tools.run('pay', args, pay, other))).toBe('DUPLICATE_ACTION');
    await mandate.approve(deferred);
    expect(await codeOf(tools.run('pay', args, pay, other))).toBe('DUPLICATE_ACTION');
    expect([runs(), await tools.run('pay', args, pay, call), runs()]).toEqual([0, 'paid', 1]);
    expect(await codeOf(tools.run('pay', args, pay, other))).toBe('DUPLICATE_ACTION');
    expect([runs(), await mandate.getCost(agentId)]).toEqual([1, costing(5)]);
  });

  test('a call that waits runs as soon as a person approves it, once', async () => {
    const { tools, mandate, agentId } = await agentUnder(asking);
    const { runs, pay } = counting();
    const key = { idempotencyKey: 'order-7' };
    const waiting = tools.run('pay', args, pay, { ...key, onDefer: 'wait' });
    const { approvalId } = await deferralOf(tools.run('pay', args, pay, key));
    expect(runs()).toBe(0);
    await mandate.approve(approvalId);
    expect(await waiting).toBe('paid');
    expect([runs(), await mandate.getCost(agentId)]).toEqual([1, costing(5)]);
  });

  test('a call that waits is blocked as soon as a person denies it', async () => {
    const { tools, mandate, agentId } = await agentUnder(asking);
    const { runs, pay } = counting();
    const key = { idempotencyKey: 'order-7' };
    const waiting = refusalOf(tools.run('pay', args, pay, { ...key, onDefer: 'wait' }));
    await mandate.deny(await deferralOf(tools.run('pay', args, pay, key)), { reason: 'too much' });
    expect(await waiting).toMatchObject({ code: 'APPROVAL_DENIED' });
    expect([runs(), await mandate.getCost(agentId)]).toEqual([0, costing(0)]);
  });

  test('a call that waits throws after its time, or when its agent is killed', async () => {
    const { tools, mandate, agentId } = await agentUnder(asking);
    const { runs, pay } = counting();
    const wait = { onDefer: 'wait', deferTimeoutMs: 20 } as const;
    expect((await deferralOf(tools.run('pay', args, pay, wait))).approvalId).not.toBe('');
    const key = { idempotencyKey: 'order-7' };
    const waiting = refusalOf(tools.run('pay', args, pay, { ...key, onDefer: 'wait' }));
    await deferralOf(tools.run('pay', args, pay, key));
    await mandate.kill(agentId, 'runaway');
    expect(await waiting).toMatchObject({ code: 'AGENT_KILLED' });
    expect(runs()).toBe(0);
  });
}
