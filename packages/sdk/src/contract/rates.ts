/** Tests limits on the number of calls in a window. */
import { expect, onTestFinished, test } from 'vitest';
import { type AgentUnder, atOnce, codeOf, costing, counting, PAY, refusalOf, tally } from './scene.ts';

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

  test('a wrong clock of the caller changes no window', async () => {
    const { tools, mandate, agentId } = await agentUnder({
      ...PAY,
      toolPolicies: { pay: { cost: 5, rateLimit: { maxCalls: 1, windowMs: 30_000 } } },
      budgets: [{ id: 'soon', scope: 'agent', max: 5, windowMs: 30_000 }],
    });
    await tools.run('pay', {}, () => null);
    const real = Date.now;
    onTestFinished(() => {
      Date.now = real;
    });
    for (const offMs of [50_000, -50_000]) {
      Date.now = () => real() + offMs;
      expect(await codeOf(tools.run('pay', {}, () => null))).toBe('RATE_LIMIT_EXCEEDED');
      expect(await codeOf(tools.run('read', {}, () => null, { estimatedCostMicros: 1 }))).toBe(
        'COST_LIMIT_EXCEEDED',
      );
    }
    // With such a wrong clock, a mode may refuse every call of the process, but must not allow an extra call.
    for (const offMs of [7_200_000, -7_200_000]) {
      Date.now = () => real() + offMs;
      expect(await codeOf(tools.run('pay', {}, () => null))).not.toBe('ran');
    }
    Date.now = real;
    expect(await mandate.getCost(agentId)).toEqual(costing(5));
  });
}
