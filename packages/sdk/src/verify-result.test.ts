import { expect, test } from 'vitest';
import { Mandate } from './index.ts';

const untilAborted = (_result: unknown, { signal }: { signal: AbortSignal }) =>
  new Promise<boolean>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

function scene() {
  const pay = { cost: 5, maxActualCost: 100 };
  const mandate = new Mandate({ agentId: 'bot', mandate: { toolPolicies: { pay } } });
  return { mandate, tools: mandate.createExecutor() };
}

test('a kill during the verification aborts the check, and the call is charged as a success', async () => {
  const tiers = { type: 'TIERED', attempt: 1, success: 2, verification: 4 } as const;
  const mandate = new Mandate({ agentId: 'bot', mandate: { defaultChargingPolicy: tiers } });
  const checking = Promise.withResolvers<void>();
  const running = mandate.createExecutor().run('pay', {}, () => 'paid', {
    verifyResult: (result, check) => {
      checking.resolve();
      return untilAborted(result, check);
    },
  });
  await checking.promise;
  await mandate.kill('bot', 'runaway');
  await expect(running).rejects.toMatchObject({ code: 'AGENT_KILLED' });
  await expect.poll(async () => (await mandate.getCost()).totalMicros, { timeout: 30_000 }).toBe(3_000_000);
});

test('a failed verification keeps an actual cost that is known, and names the cause', async () => {
  const { mandate, tools } = scene();
  const cause = new Error('no receipt');
  const run = tools.run('pay', {}, () => 'paid', {
    actualCostMicros: 7_000_000,
    verifyResult: () => Promise.reject(cause),
  });
  await expect(run).rejects.toMatchObject({ code: 'VERIFICATION_FAILED', cause });
  expect((await mandate.getCost()).totalMicros).toBe(7_000_000);
});

test.each([0, -1, Number.NaN, 2 ** 40])(
  'a time-out of %s ms is an error before the tool runs',
  async (verifyTimeoutMs) => {
    const { mandate, tools } = scene();
    const run = tools.run('pay', {}, () => 'paid', { verifyResult: () => true, verifyTimeoutMs });
    await expect(run).rejects.toMatchObject({ code: 'SDK_MISUSED' });
    expect(await mandate.getCallCount()).toBe(0);
  },
);

test('an executor states the check of each tool, and a call may replace it', async () => {
  const { mandate } = scene();
  const tools = mandate.createExecutor({
    tools: { pay: async ({ ok }: { ok: boolean }) => ({ ok }), look: () => 'seen' },
    toolOptions: { pay: { verifyResult: ({ ok }) => ok, verifyTimeoutMs: 10_000 } },
  });
  const codeOf = (call: Promise<unknown>) =>
    call.then(
      () => 'ran',
      (error) => error.code,
    );
  const bad = () => ({ ok: false });
  expect([
    await codeOf(tools.run('pay', { ok: true })),
    await codeOf(tools.run('pay', { ok: false })),
    await codeOf(tools.run('pay', { ok: false }, { verifyResult: () => true })),
    await codeOf(tools.run('pay', {}, bad)),
    await codeOf(tools.run('look', {})),
  ]).toEqual(['ran', 'VERIFICATION_FAILED', 'ran', 'VERIFICATION_FAILED', 'ran']);
});

test('an invalid check of a tool is an error when the executor is created', () => {
  const { mandate } = scene();
  const pay = () => 'paid';
  const toolOptions = { pay: { verifyResult: () => true, verifyTimeoutMs: 0 } };
  expect(() => mandate.createExecutor({ tools: { pay }, toolOptions })).toThrow('verifyTimeoutMs is 0');
  const other = { toolOptions: { pay: {}, pya: { verifyResult: () => true } } };
  expect(() => mandate.createExecutor({ tools: { pay }, ...other })).toThrow('names "pya"');
});
