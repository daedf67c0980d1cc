/** Tests the cost of tools. */
import { expect, test } from 'vitest';
import { type AgentUnder, atOnce, codeOf, costing, counting, DOLLAR, failing, PAY, tally } from './scene.ts';

export function money(agentUnder: AgentUnder): void {
  test('a budget of 0 blocks a call that costs something', async () => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 0 });
    const { runs, pay } = counting();
    expect(await codeOf(tools.run('pay', {}, pay))).toBe('COST_LIMIT_EXCEEDED');
    expect([runs(), await mandate.getCost(agentId)]).toEqual([0, costing(0)]);
  });

  test('20 calls of five dollars at once, under ten dollars: two run', async () => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 10 });
    const { runs, pay } = counting();
    const codes = await atOnce(20, () => tools.run('pay', {}, pay));
    expect(tally(codes)).toEqual({ ran: 2, COST_LIMIT_EXCEEDED: 18 });
    expect([runs(), await mandate.getCost(agentId)]).toEqual([2, costing(10)]);
    expect(await mandate.getRemainingBudget(agentId)).toBe(0);
  });

  test('1,000 calls of a dollar at once, under a hundred dollars: 100 run', async () => {
    const { tools, mandate, agentId } = await agentUnder({
      maxCostTotal: 100,
      toolPolicies: { pay: { cost: 1 } },
    });
    const { runs, pay } = counting();
    const codes = await atOnce(1_000, () => tools.run('pay', {}, pay));
    expect(tally(codes)).toEqual({ ran: 100, COST_LIMIT_EXCEEDED: 900 });
    expect([runs(), await mandate.getCost(agentId)]).toEqual([100, costing(100)]);
  });

  test('a result that claims a cost changes no charge', async () => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 10 });
    const claims = { cost: -100, actualCostMicros: -100, chargedMicros: 0, usage: { cost: -100 } };
    expect(await tools.run('pay', {}, () => claims)).toBe(claims);
    expect(await mandate.getCost(agentId)).toEqual(costing(5));
  });

  test('charges the actual cost that the caller reads from the result, but at least the price', async () => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 20 });
    const options = { actualCostMicros: (result: { micros: number }) => result.micros };
    await tools.run('pay', {}, () => ({ micros: 6 * DOLLAR }), options);
    await tools.run('pay', {}, () => ({ micros: 1 }), options);
    expect(await mandate.getCost(agentId)).toEqual(costing(11));
  });

  test('a call that failed costs nothing, and its budget can be spent again', async () => {
    const { tools, mandate, agentId } = await agentUnder({ ...PAY, maxCostTotal: 5 });
    await expect(tools.run('pay', {}, failing)).rejects.toThrow('the bank is closed');
    expect(await mandate.getCost(agentId)).toEqual(costing(0));
    expect(await tools.run('pay', {}, () => 'paid')).toBe('paid');
    expect(await mandate.getCost(agentId)).toEqual(costing(5));
  });
}
