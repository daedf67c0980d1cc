import { expect, test } from 'vitest';
import type { Charge } from './custom-charge.ts';
import { Mandate } from './index.ts';
import { Mandate as PlaneMandate } from './plane/index.ts';
import type { MandateDocument } from './types.ts';

function scene(charge: Charge, document: MandateDocument = { maxCostTotal: 10, maxActualCost: 100 }) {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const mandate = new Mandate({ agentId: 'bot', mandate: document, charge, onError });
  const cost = async () => (await mandate.getCost()).totalMicros;
  return { mandate, tools: mandate.createExecutor(), cost, errors };
}

/** A dollar for each item. A failure costs a tenth. */
const perItem: Charge = (call, outcome) => {
  const { items } = (call.type === 'tool_call' && call.args) as { items: number };
  return outcome?.status === 'failure' ? items * 100_000 : items * 1_000_000;
};

test('a function says what a call costs, before and after it', async () => {
  const { tools, cost } = scene(perItem);
  await tools.run('pay', { items: 3 }, () => null);
  expect(await cost()).toBe(3_000_000);
  await expect(tools.run('pay', { items: 5 }, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await cost()).toBe(3_500_000);
  await expect(tools.run('pay', { items: 7 }, () => null)).rejects.toMatchObject({
    code: 'COST_LIMIT_EXCEEDED',
  });
});

test.each<[string, Charge]>([
  [
    'throws',
    () => {
      throw new Error('no price');
    },
  ],
  ['returns a negative amount', () => -1],
  ['returns a fraction', () => 0.5],
  ['returns nothing', () => undefined as never],
])('a function that %s blocks the call', async (_what, charge) => {
  const { tools, mandate } = scene(charge);
  await expect(tools.run('pay', {}, () => null)).rejects.toMatchObject({
    code: 'INTERNAL_ERROR',
    retryable: false,
    remedy: 'Nothing ran. Tell the operator of the agent. The error is in `cause`.',
  });
  expect(await mandate.getCallCount()).toBe(0);
});

test.each(['success', 'failure'] as const)(
  'a function that fails after a %s keeps the reservation',
  async (status) => {
    const charge: Charge = (_call, outcome) => {
      if (outcome !== null) throw new Error('no price');
      return 2_000_000;
    };
    const { mandate, cost, errors } = scene(charge);
    const running = await mandate.agent().start({ type: 'tool_call', tool: 'pay', args: {} });
    await running.settle({ status });
    expect([await cost(), errors.length]).toEqual([2_000_000, 1]);
  },
);

test('only local mode has it', () => {
  const options = { agentId: 'bot', charge: () => 1 };
  expect(() => new Mandate({ ...options, mode: 'plane' }).agent()).toThrow('charge');
  expect(() => new PlaneMandate(options).agent()).toThrow('charge');
  const redis = 'redis://127.0.0.1:1';
  expect(() => new Mandate({ ...options, mode: 'distributed', redis }).agent()).toThrow('charge');
});
