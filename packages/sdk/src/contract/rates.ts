/** Limits of calls in a time. */
import { expect, test } from 'vitest';
import { type AgentUnder, atOnce, costing, counting, PAY, refusalOf, tally } from './scene.ts';

export function rates(agentUnder: AgentUnder): void {
  test('ten free calls under a limit of two: two run', async () => {
    const { tools } = await agentUnder({ rateLimit: { maxCalls: 2, windowMs: 3_600_000 } });
    const { runs, pay } = counting();
    const codes = await atOnce(10, () => tools.run('pay', {}, pay));
    expect(tally(codes)).toEqual({ ran: 2, RATE_LIMIT_EXCEEDED: 8 });
    expect(runs()).toBe(2);
  });

  test('a refusal by a rate can be retried, and charges nothing', async () => {
    const rateLimit = { maxCalls: 1, windowMs: 3_600_000 };
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 100, rateLimit });
    await tools.run('pay', {}, () => null);
    const refused = await refusalOf(tools.run('pay', {}, () => null));
    expect(refused).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryable: true });
    expect(refused.retryAfterMs).toBeGreaterThan(3_000_000);
    expect(await mandate.getCost(agentId)).toEqual(costing(5));
    expect(await mandate.getCallCount(agentId)).toBe(1);
  });
}
