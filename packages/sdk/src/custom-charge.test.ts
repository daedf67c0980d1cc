import { expect, test } from 'vitest';
import type { Charge } from './custom-charge.ts';
import { Mandate } from './index.ts';
import { Mandate as PlaneMandate } from './plane/index.ts';
import type { MandateDocument, RunningOutcome } from './types.ts';

const CALL = { type: 'tool_call', tool: 'pay', args: {} } as const;

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

test('a function states the cost of a call, before and after the call', async () => {
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

/** Reserves two dollars, and fails after the call. */
const failsAfterwards: Charge = (_call, outcome) => {
  if (outcome !== null) throw new Error('no price');
  return 2_000_000;
};

test.each<[RunningOutcome]>([
  [{ status: 'success' }],
  [{ status: 'success', verification: { ok: true } }],
  [{ status: 'success', verification: { ok: false } }],
  [{ status: 'failure' }],
])('a function that fails after the outcome %j keeps the reservation', async (outcome) => {
  const { mandate, cost, errors } = scene(failsAfterwards);
  const running = await mandate.agent().start(CALL);
  await running.settle(outcome);
  expect([await cost(), errors.length]).toEqual([2_000_000, 1]);
});

test('a function that fails after a verified success does not hide the verification', async () => {
  const tiers = { type: 'TIERED', attempt: 1, success: 2, verification: 4 } as const;
  const { mandate, cost } = scene(failsAfterwards, { defaultChargingPolicy: tiers });
  for (const [outcome, sum] of [
    [{ status: 'success' }, 3_000_000],
    [{ status: 'success', verification: { ok: true } }, 10_000_000],
  ] as const) {
    const running = await mandate.agent().start(CALL);
    await running.settle(outcome);
    expect(await cost()).toBe(sum);
  }
});

test('a function is not asked about a call that was cancelled', async () => {
  const { mandate, cost, errors } = scene(failsAfterwards);
  const running = await mandate.agent().start(CALL);
  await running.settle({ status: 'cancelled' });
  expect([await cost(), errors]).toEqual([0, []]);
});

test('only local mode has this function', () => {
  const options = { agentId: 'bot', charge: () => 1 };
  expect(() => new Mandate({ ...options, mode: 'plane' }).agent()).toThrow('charge');
  expect(() => new PlaneMandate(options).agent()).toThrow('charge');
  const redis = 'redis://127.0.0.1:1';
  expect(() => new Mandate({ ...options, mode: 'distributed', redis }).agent()).toThrow('charge');
});
