/** Tests calls that take longer than their lease. */
import { expect, test } from 'vitest';
import type { Tool } from '../types.ts';
import { type AgentUnder, codeOf, costing, DOLLAR, refusalOf, untilAborted, WAITING } from './scene.ts';

export function leases(agentUnder: AgentUnder): void {
  test('a lease that ran out aborts the call and keeps the charge, and a late result settles it', async () => {
    const { tools, mandate, agentId } = await agentUnder({
      maxCostTotal: 100,
      toolPolicies: { pay: { cost: 5, executionLeaseMs: 500 } },
    });
    const late = Promise.withResolvers<string>();
    const seen = Promise.withResolvers<AbortSignal>();
    const tool: Tool<object, string> = (_args, signal) => {
      seen.resolve(signal);
      return late.promise;
    };
    const refused = await refusalOf(tools.run('pay', {}, tool, { actualCostMicros: 7 * DOLLAR }));
    expect(refused).toMatchObject({ code: 'LEASE_EXPIRED', agentId });
    const signal = await seen.promise;
    expect([signal.aborted, signal.reason]).toEqual([true, refused]);
    expect(await mandate.getCost(agentId)).toEqual(costing(5));
    late.resolve('done');
    await expect.poll(() => mandate.getCost(agentId), WAITING).toEqual(costing(7));
  });

  test('a call that fails after its lease ran out keeps its charge, and may be tried again', async () => {
    const { tools, mandate, agentId } = await agentUnder({
      maxCostTotal: 100,
      toolPolicies: { pay: { cost: 5, executionLeaseMs: 500 } },
    });
    const key = { idempotencyKey: 'order-7' };
    expect(await codeOf(tools.run('pay', {}, untilAborted, key))).toBe('LEASE_EXPIRED');
    await expect.poll(() => codeOf(tools.run('pay', {}, () => 'paid', key)), WAITING).toBe('ran');
    expect(await mandate.getCost(agentId)).toEqual(costing(10));
  });
}
