import { describe, expect, test } from 'vitest';
import { findMandateError, Mandate, MemoryStateManager } from './index.ts';
import type { Call, CallOptions, MandateDocument } from './types.ts';

const PAY = { maxCostTotal: 100, toolPolicies: { pay: { cost: 5 } } } as const;

function scene(document: MandateDocument = PAY, state = new MemoryStateManager()) {
  const mandate = new Mandate({ agentId: 'bot', mandate: document, state, runId: 'run-1' });
  return { state, mandate, agent: mandate.agent(), tools: mandate.createExecutor() };
}

function call(args: object, options: CallOptions = { callId: 'call_0' }): Call {
  return { type: 'tool_call', tool: 'pay', args, options };
}

/** Requests for `call({ to: 'ann' })` that differ from it in one other field. */
const OTHER_CONTENT: [string, Call][] = [
  ['another context', call({ to: 'ann' }, { callId: 'call_0', context: { ticket: 8 } })],
  ['another estimate', call({ to: 'ann' }, { callId: 'call_0', estimatedCostMicros: 7 })],
  ['another parent', call({ to: 'ann' }, { callId: 'call_0', parentActionId: 'act_1' })],
  ['another principal', call({ to: 'ann' }, { callId: 'call_0', principal: { id: 'u7' } })],
];

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'allowed',
    (error) => findMandateError(error)?.code ?? String(error),
  );

describe('a call that was decided with `ask`', () => {
  test('starts once, later, with the same decision', async () => {
    const { agent, mandate } = scene();
    const asked = await agent.ask(call({ to: 'ann' }));
    const running = await agent.start(call({ to: 'ann' }));
    expect(running.decision).toBe(asked.decision);
    expect(running.action.id).toBe('run-1:call_0');
    expect(await codeOf(agent.start(call({ to: 'ann' })))).toBe('DUPLICATE_ACTION');
    expect((await agent.ask(call({ to: 'ann' }))).decision).toBe(asked.decision);
    await running.settle({ status: 'success' });
    expect(await codeOf(agent.start(call({ to: 'ann' })))).toBe('DUPLICATE_ACTION');
    expect(await mandate.getCallCount()).toBe(1);
  });

  test('twenty times at the same time is decided once, and starts once', async () => {
    const { agent, mandate } = scene();
    const codes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => codeOf(n % 2 === 0 ? agent.ask(call({})) : agent.start(call({})))),
    );
    expect(codes.filter((code) => code === 'DUPLICATE_ACTION')).toHaveLength(9);
    expect([await mandate.getCallCount(), (await mandate.getCost()).totalMicros]).toEqual([1, 5_000_000]);
  });

  test('does not start after a kill that passive listeners did not hear, and is charged nothing', async () => {
    class PassivelyDeaf extends Mandate {
      protected override openPoint(...opening: Parameters<Mandate['openPoint']>) {
        const point = super.openPoint(...opening);
        const onKill: typeof point.kills.onKill = (listener, options) =>
          options?.isPassive === true ? () => {} : point.kills.onKill(listener, options);
        return { ...point, kills: { ...point.kills, onKill, mayMissKills: true } };
      }
    }
    const state = new MemoryStateManager();
    const mandate = new PassivelyDeaf({ agentId: 'bot', mandate: PAY, state, runId: 'run-1' });
    await mandate.agent().ask(call({}));
    await state.kills.kill('bot', 'runaway');
    expect(await codeOf(mandate.agent().start(call({})))).toBe('AGENT_KILLED');
    expect((await mandate.getCost()).totalMicros).toBe(0);
  });

  test('must state its id', async () => {
    const { agent } = scene();
    await expect(agent.ask(call({}, {}))).rejects.toMatchObject({ code: 'SDK_MISUSED' });
  });

  test('has the same content if only the order of fields differs', async () => {
    const { agent, mandate } = scene();
    await agent.ask(call({ to: 'ann', n: 1 }));
    await agent.start(call({ n: 1, to: 'ann' }));
    expect(await mandate.getCallCount()).toBe(1);
  });

  test('is another call with other arguments, in another run, of another agent, or with a key of its own', async () => {
    const { agent, mandate } = scene({ ...PAY, agents: ['bot', 'other'] });
    const other = mandate.agent({ agentId: 'other', mandate: PAY });
    const started = [
      await agent.start(call({})),
      await agent.start(call({}, { callId: 'call_0', runId: 'run-2' })),
      await agent.start(call({}, { callId: 'call_0', idempotencyKey: 'order-7' })),
      await agent.start(call({ to: 'bob' })),
      await agent.start({ ...call({}), tool: 'search' } as Call),
      await other.start(call({})),
    ];
    const [ids, first] = [started.map(({ action }) => action.id), 'run-1:call_0'];
    expect(ids).toEqual([first, 'run-2:call_0', 'key_order-7', `${first}:2`, `${first}:3`, first]);
    expect(await mandate.getCallCount()).toBe(5);
  });

  test.each(OTHER_CONTENT)('is not started by a request with %s', async (_what, other) => {
    const { agent, mandate } = scene();
    const asked = await agent.ask(call({ to: 'ann' }));
    expect(await codeOf(agent.ask(other))).toBe('DUPLICATE_ACTION');
    expect(await codeOf(agent.start(other))).toBe('DUPLICATE_ACTION');
    expect((await agent.start(call({ to: 'ann' }))).decision).toBe(asked.decision);
    expect(await mandate.getCallCount()).toBe(1);
  });

  test.each(OTHER_CONTENT)('is refused with %s, also after a restart', async (_what, other) => {
    const { agent, state } = scene();
    await agent.start(call({ to: 'ann' }));
    expect(await codeOf(scene(PAY, state).agent.start(other))).toBe('DUPLICATE_ACTION');
  });

  test('does not start again after a restart, even if another call has asked with its call id before', async () => {
    const { agent, state, mandate } = scene();
    await agent.start(call({ to: 'ann' }));
    await agent.start(call({ to: 'bob' }));
    const later = scene(PAY, state).agent;
    for (const to of ['eve', 'bob', 'ann', 'eve', 'bob'])
      expect(await codeOf(later.start(call({ to })))).toBe('DUPLICATE_ACTION');
    expect(await mandate.getCallCount()).toBe(2);
  });

  test('is refused after a restart until the earlier calls with its call id are repeated', async () => {
    const { agent, state } = scene();
    const [ann, bob] = [call({ to: 'ann' }), call({ to: 'bob' })];
    for (const one of [ann, bob]) await (await agent.start(one)).settle({ status: 'failure' });
    const later = scene(PAY, state).agent;
    expect(await codeOf(later.start(bob))).toBe('DUPLICATE_ACTION');
    const repeated = [await later.start(ann), await later.start(bob)];
    const ids = repeated.map(({ decision: { actionId, attempt } }) => [actionId, attempt]);
    expect(ids).toEqual([
      ['run-1:call_0', 2],
      ['run-1:call_0:2', 2],
    ]);
  });

  test('and refused gets the same refusal again, without another decision', async () => {
    const { agent } = scene({ deniedTools: ['pay'] });
    const first = await agent.ask(call({})).catch(findMandateError);
    const second = await agent.start(call({})).catch(findMandateError);
    expect(second).toBe(first);
  });

  test('and refused for a limited time is decided again after this time', async () => {
    const { agent } = scene({ toolPolicies: { pay: { rateLimit: { maxCalls: 1, windowMs: 1_000 } } } });
    await agent.start(call({}, { callId: 'call_1' }));
    expect(await codeOf(agent.ask(call({})))).toBe('RATE_LIMIT_EXCEEDED');
    await expect.poll(() => codeOf(agent.ask(call({}))), { timeout: 30_000 }).toBe('allowed');
  });

  test('and refused as a duplicate is decided again, because its other attempt may have ended', async () => {
    const { agent, state } = scene();
    const running = await agent.start(call({}));
    const inOtherProcess = scene(PAY, state).agent;
    expect(await codeOf(inOtherProcess.ask(call({})))).toBe('DUPLICATE_ACTION');
    await running.settle({ status: 'failure' });
    expect((await inOtherProcess.ask(call({}))).decision.attempt).toBe(2);
  });

  test('and deferred is decided again, because a person may have answered', async () => {
    const { agent, state } = scene({ toolPolicies: { pay: { requiresConfirmation: true } } });
    const deferred = await agent.ask(call({})).then(() => null, findMandateError);
    expect(deferred?.code).toBe('APPROVAL_REQUIRED');
    const { tenant, agentId, actionId, digest } = deferred?.decision ?? ({} as never);
    await state.ledger.approve({
      ...{ id: 'a1', by: 'op', reason: 'fine', tenant, agentId, actionId, digest },
      answer: 'granted',
      expiresAtMs: state.clock() + 60_000,
    });
    expect(await codeOf(agent.start(call({})))).toBe('allowed');
    expect(await codeOf(agent.start(call({})))).toBe('DUPLICATE_ACTION');
  });

  test('is not started after a kill, and its reservation is given back', async () => {
    const { agent, mandate } = scene();
    await agent.ask(call({}));
    await mandate.kill('bot', 'runaway');
    expect(await codeOf(agent.start(call({})))).not.toBe('allowed');
    await expect.poll(async () => (await mandate.getCost()).totalMicros, { timeout: 30_000 }).toBe(0);
  });

  test('and never started is decided again after its lease', async () => {
    const { agent, mandate } = scene({ toolPolicies: { pay: { cost: 5, executionLeaseMs: 20 } } });
    const first = await agent.ask(call({}));
    await expect.poll(async () => (await agent.ask(call({}))).decision.attempt, { timeout: 30_000 }).toBe(2);
    expect(first.decision.attempt).toBe(1);
    expect((await mandate.getCost()).totalMicros).toBe(10_000_000);
  });

  test('has the rest of its lease when it starts', async () => {
    const { agent } = scene({ toolPolicies: { pay: { executionLeaseMs: 60_000 } } });
    await agent.ask(call({}));
    const { signal, settle } = await agent.start(call({}));
    expect(signal.aborted).toBe(false);
    await settle({ status: 'success' });
  });
});

describe('a tool that is run twice', () => {
  test('runs once, and gives both the same result', async () => {
    const { tools, mandate } = scene();
    let runs = 0;
    const pay = async () => {
      runs += 1;
      return { receipt: runs };
    };
    const options = { callId: 'call_0' };
    const [one, two] = await Promise.all([
      tools.run('pay', {}, pay, options),
      tools.run('pay', {}, pay, options),
    ]);
    expect(two).toBe(one);
    expect(await tools.run('pay', {}, pay, options)).toBe(one);
    expect([runs, await mandate.getCallCount()]).toEqual([1, 1]);
  });

  test('runs again as the next attempt if it failed, or was not verified', async () => {
    const { tools } = scene();
    const options = { callId: 'call_0' };
    const failing = () => Promise.reject(new Error('the bank is closed'));
    await expect(tools.run('pay', {}, failing, options)).rejects.toThrow('the bank is closed');
    const unverified = { ...options, verifyResult: () => false };
    expect(await codeOf(tools.run('pay', {}, () => 'paid', unverified))).toBe('VERIFICATION_FAILED');
    expect(await tools.run('pay', {}, () => 'paid', options)).toBe('paid');
  });

  test('gives the second call the result only while the result is remembered, and never runs twice', async () => {
    const { tools } = scene({ maxCostTotal: 10_000 });
    const run = (n: number) => tools.run('pay', {}, () => `paid ${n}`, { callId: `call_${n}` });
    for (let n = 0; n <= 200; n += 1) await run(n);
    expect(await run(1)).toBe('paid 1');
    expect(await codeOf(run(0))).toBe('DUPLICATE_ACTION');
  });

  test('does not run again after a restart', async () => {
    const { tools, state } = scene();
    await tools.run('pay', {}, () => 'paid', { callId: 'call_0' });
    const again = scene(PAY, state).tools;
    expect(await codeOf(again.run('pay', {}, () => 'paid', { callId: 'call_0' }))).toBe('DUPLICATE_ACTION');
  });
});

test('ids of actions with characters that an id may not have become a hash', async () => {
  const { agent } = scene();
  const id = async (runId: string, callId: string) =>
    (await agent.start(call({}, { runId, callId }))).action.id;
  const ids = [
    await id('a:b', 'c'),
    await id('a', 'b:c'),
    await id('two words', 'c'),
    await id('r', 'x'.repeat(300)),
  ];
  for (const one of ids) expect(one).toMatch(/^call_[0-9a-f]{40}$/);
  expect(new Set(ids).size).toBe(4);
});
