import { manualClock } from '@mandate/runtime';
import type { ActionRequested, Decision } from '@mandate/schemas';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MandateBlockedError, MandateDeferredError } from './errors.ts';
import { Mandate } from './index.ts';
import { localPoint } from './local/local-point.ts';
import { runTool } from './run-tool.ts';
import { startAction } from './start-action.ts';
import { MemoryStateManager } from './state.ts';
import type { Call, MandateDocument, RunOptions, Tool } from './types.ts';

function scene(document: MandateDocument = {}) {
  const state = new MemoryStateManager();
  const errors: unknown[] = [];
  const mandate = new Mandate({
    agentId: 'bot',
    mandate: document,
    state,
    onError: (error) => errors.push(error),
  });
  return { state, errors, mandate, tools: mandate.createExecutor() };
}

/** Returns what the promise rejects with. */
async function errorOf<E = MandateBlockedError>(promise: Promise<unknown>): Promise<E> {
  return promise.then(
    (result) => Promise.reject(new Error(`it resolved to ${String(result)}`)),
    (error: E) => error,
  );
}

/** Runs a call on a decision point. The test changes its decisions. */
function runOn(
  change: (decision: Decision, record: ActionRequested) => Decision | Promise<Decision>,
  tool: Tool,
  mandate: MandateDocument = {},
) {
  const state = new MemoryStateManager();
  const local = localPoint({ mandate, state });
  const point = {
    ...local,
    decide: async (record: ActionRequested) => change(await local.decide(record), record),
  };
  const onError = () => {};
  const agent = { start: (call: Call) => startAction({ agentId: 'bot', call, point, onError }) };
  return { state, run: runTool(agent, { name: 'pay', args: {}, fn: tool, options: {}, onError }) };
}

test('a tool does not start after a kill between the ALLOW and the start', async () => {
  const { mandate } = scene({ toolPolicies: { pay: { cost: 1 } } });
  const agent = mandate.agent({ agentId: 'bot' });
  const start = async (call: Call) => {
    const running = await agent.start(call);
    void mandate.kill('bot', 'runaway');
    return running;
  };
  const tool = vi.fn();
  const call = { name: 'pay', args: {}, fn: tool, options: {}, onError: () => {} };
  expect(await errorOf(runTool({ start }, call))).toMatchObject({ code: 'AGENT_KILLED' });
  expect(tool).not.toHaveBeenCalled();
});

test('a call with the same call id runs once, although its validator makes other arguments each time', async () => {
  const { tools } = scene();
  const gaveUp = new AbortController();
  const started = Promise.withResolvers<void>();
  const tool = vi.fn(() => {
    started.resolve();
    return new Promise(() => {});
  });
  let asked = 0;
  const options = {
    callId: 'call_1',
    runId: 'run',
    validate: (args: unknown) => ({ ...(args as object), nonce: asked++ }),
  };
  const first = errorOf<Error>(tools.run('pay', {}, tool, { ...options, signal: gaveUp.signal }));
  await started.promise;
  gaveUp.abort(new Error('gave up'));
  expect((await first).message).toBe('gave up');
  expect(await errorOf(tools.run('pay', {}, tool, options))).toMatchObject({ code: 'DUPLICATE_ACTION' });
  expect(tool).toHaveBeenCalledTimes(1);
});

describe('the arguments of a tool', () => {
  test('are a copy of the decided arguments, so that a later change has no effect', async () => {
    const { tools } = scene();
    const args = { path: '/tmp/a', deep: { list: [1] } };
    const running = tools.run('read', args, (given) => given);
    args.path = '/etc/passwd';
    args.deep.list.push(2);
    expect(await running).toEqual({ path: '/tmp/a', deep: { list: [1] } });
  });

  test('are converted as by JSON, for the checks and for the tool', async () => {
    const schema = { type: 'object', properties: { path: { type: 'string', enum: ['/tmp/a'] } } };
    const { tools } = scene({ toolPolicies: { read: { argumentValidation: { schema } } } });
    const args = { path: '/etc/passwd', toJSON: () => ({ path: '/tmp/a' }) };
    expect(await tools.run('read', args, (given) => given.path)).toBe('/tmp/a');
  });

  test.each<[string, unknown]>([
    ['a circle', circle()],
    ['a bigint', { n: 1n }],
    ['a text that is no object', 'rm -rf'],
    ['a list', [1]],
    ['half a surrogate pair', { text: '\ud800' }],
    ['a prototype', JSON.parse('{"__proto__":{"admin":true}}')],
    ['an integer that is not exact', { n: 2 ** 60 }],
  ])('that are %s are refused, and the tool does not run', async (_what, args) => {
    const { tools, mandate } = scene();
    const error = await errorOf(tools.run('read', args as object, () => 'ran'));
    expect(error).toMatchObject({ code: 'INVALID_ACTION', decision: null, agentId: 'bot' });
    expect(await mandate.getCallCount()).toBe(0);
  });
});

test.each<[string, unknown, RunOptions, RegExp]>([
  [
    'arguments that are no object',
    'ann',
    {},
    /: the arguments are no object\. To run it, call the tool with an object of arguments\.$/,
  ],
  [
    'an unknown option',
    {},
    { principle: { id: 'ann' } } as never,
    /: principle is not a known field: write "principal"; .* To run it, remove the field or correct its name\.$/,
  ],
  [
    'more than a record may have',
    Object.fromEntries(Array.from({ length: 4_500 }, (_, at) => [`f${at}`, 'x'.repeat(60)])),
    {},
    /: the call has \d+ bytes; 262144 are allowed\. To run it, send less, or split it\.$/,
  ],
])('%s: the refusal mentions the call, and not a record', async (_what, args, options, words) => {
  const error = await errorOf(scene().tools.run('pay', args as object, () => 'paid', options));
  expect(error).toMatchObject({ code: 'INVALID_ACTION', message: expect.stringMatching(words) });
});

function circle(): object {
  const one: Record<string, unknown> = {};
  one.self = one;
  return one;
}

describe('a tool that finished', () => {
  test('gives its result, even if the lease ends before the outcome is reported', async () => {
    const { tools } = scene({ toolPolicies: { pay: { executionLeaseMs: 1_000 } } });
    const untilMs = performance.now() + 1_050;
    const pay = () => {
      while (performance.now() < untilMs);
      return 'paid';
    };
    expect(await tools.run('pay', {}, pay)).toBe('paid');
  });

  test('gives its result, even if the handler of errors throws', async () => {
    const mandate = new Mandate({
      agentId: 'bot',
      mandate: {},
      onError: () => {
        throw new Error('no log');
      },
    });
    const tools = mandate.createExecutor();
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    expect(await tools.run('pay', {}, () => 'paid', { actualCostMicros: -1 })).toBe('paid');
    expect(printed).toHaveBeenCalledOnce();
    printed.mockRestore();
  });
});

describe('an error of the SDK', () => {
  test('does not prevent a kill from aborting running calls', async () => {
    const { tools, state, mandate } = scene();
    const started = Promise.withResolvers<void>();
    const running = errorOf(
      tools.run('pay', {}, () => {
        started.resolve();
        return new Promise(() => {});
      }),
    );
    await started.promise;
    await state.close();
    await expect(mandate.kill('bot', 'runaway')).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    expect(await running).toMatchObject({ code: 'AGENT_KILLED' });
  });

  test('blocks the call', async () => {
    const { tools, state } = scene();
    await state.close();
    const error = await errorOf(tools.run('pay', {}, () => 'ran'));
    expect(error).toBeInstanceOf(MandateBlockedError);
    expect(error).toMatchObject({ code: 'INTERNAL_ERROR', decision: null });
    expect(error.cause).toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  });

  test('after the tool ran is passed to onError, and does not hide the result', async () => {
    const { tools, state, errors } = scene();
    const tool = async () => {
      await state.close();
      return 'paid';
    };
    expect(await tools.run('pay', {}, tool)).toBe('paid');
    expect(errors).toMatchObject([{ code: 'LEDGER_UNAVAILABLE' }]);
  });

  test.each<[string, RunOptions['actualCostMicros']]>([
    ['a negative number', -100],
    ['a fraction', 0.5],
    ['not a number', Number.NaN],
    [
      'an exception',
      () => {
        throw new Error('no cost');
      },
    ],
  ])('an actual cost that is %s is not reported, but is an error', async (_what, actualCostMicros) => {
    const tiers = { type: 'TIERED', attempt: 1, success: 2, verification: 4 } as const;
    const { tools, mandate, errors } = scene({ defaultChargingPolicy: tiers });
    await tools.run('pay', {}, () => 'paid', { actualCostMicros } as RunOptions<string>);
    // The outcome was settled: nothing is charged for a verification.
    expect((await mandate.getCost()).totalMicros).toBe(3_000_000);
    expect(errors).toHaveLength(1);
  });
});

test('a decision with an obligation that the SDK does not know blocks the call', async () => {
  const { run, state } = runOn(
    (decision) => ({ ...decision, obligations: { watermark: true } }),
    () => 'ran',
    { toolPolicies: { pay: { cost: 5 } } },
  );
  expect(await errorOf(run)).toMatchObject({ code: 'UNKNOWN_OBLIGATION', retryable: false });
  expect([state.callsOf('bot'), state.costOf('bot').totalMicros]).toEqual([1, 0]);
  expect(await state.ledger.unpublished('default')).toEqual([]);
});

test('a kill between the decision and the start blocks the call, and gives its reservation back', async () => {
  let ran = false;
  const { run, state } = runOn(
    async (decision) => {
      await state.kills.kill('bot', 'runaway');
      return decision;
    },
    () => {
      ran = true;
    },
  );
  expect(await errorOf(run)).toMatchObject({ code: 'AGENT_KILLED' });
  expect([ran, await state.ledger.open('default')]).toEqual([false, []]);
});

test('a decision that arrives after its lease is given back, and the tool does not start', async () => {
  let lateMs = 0;
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + lateMs);
  onTestFinished(() => clock.mockRestore());
  const tool = vi.fn();
  const arrivesLate = (decision: Decision) => {
    lateMs = 1_000;
    return decision;
  };
  const { run, state } = runOn(arrivesLate, tool, {
    toolPolicies: { pay: { cost: 5, executionLeaseMs: 1_000 } },
  });
  expect(await errorOf(run)).toMatchObject({ code: 'LEASE_EXPIRED' });
  expect(state.costOf('bot').totalMicros).toBe(0);
  expect(tool).not.toHaveBeenCalled();
});

test.each<[string, unknown]>([
  ['__proto__', JSON.parse('{ "__proto__": { "admin": true } }')],
  ['a constructor', { constructor: { prototype: {} } }],
  ['an integer that is not exact', 2 ** 60],
  ['half a character', '\ud83d'],
  ['lists in lists', Array.from({ length: 2_000 }).reduce((inner: unknown) => [inner], 1)],
])('large arguments that contain %s are refused as small ones are', async (_what, evil) => {
  const { tools } = scene();
  const tool = vi.fn();
  for (const pad of ['', 'x'.repeat(70_000)]) {
    const run = tools.run('pay', { pad, evil: [evil, 'x'.repeat(1_200)] }, tool);
    expect(await errorOf(run)).toMatchObject({ code: 'INVALID_ACTION' });
  }
  expect(tool).not.toHaveBeenCalled();
});

test('a call runs with the decided arguments, even if the caller changes its arguments object later', async () => {
  const { mandate } = scene();
  const call: Call = { type: 'tool_call', tool: 'pay', args: { to: 'ann' }, options: { callId: 'call-1' } };
  const asked = await mandate.agent().ask(call);
  (asked.args as { to: string }).to = 'eve';
  expect((await mandate.agent().start(call)).args).toEqual({ to: 'ann' });
});

describe('the signal of the caller', () => {
  test('that is aborted before the call: nothing is decided', async () => {
    const { tools, mandate } = scene();
    const reason = new Error('the user left');
    const error = await errorOf(tools.run('pay', {}, () => 'ran', { signal: AbortSignal.abort(reason) }));
    expect([error, await mandate.getCallCount()]).toEqual([reason, 0]);
  });

  test('that aborts between the decision and the start: the tool does not run', async () => {
    const stop = new AbortController();
    const { tools, state } = scene();
    const running = tools.run('pay', {}, () => 'ran', { signal: stop.signal });
    stop.abort(new Error('the user left'));
    expect(await errorOf<Error>(running)).toMatchObject({ message: 'the user left' });
    await expect.poll(() => state.ledger.open('default')).toEqual([]);
  });

  test('that aborts a running call: the call ends at once, and its charge stays', async () => {
    const { tools, mandate } = scene({ toolPolicies: { pay: { cost: 5 } } });
    const stop = new AbortController();
    const tool: Tool<object, never> = () => {
      stop.abort(new Error('the user left'));
      return new Promise<never>(() => {});
    };
    const running = tools.run('pay', {}, tool, { signal: stop.signal });
    expect(await errorOf<Error>(running)).toMatchObject({ message: 'the user left' });
    expect((await mandate.getCost()).totalMicros).toBe(5_000_000);
  });
});

describe('a call that a person must approve', () => {
  const document = { toolPolicies: { pay: { cost: 5, requiresConfirmation: true } } };

  test('is deferred, and runs once after the approval, if the same action is sent again', async () => {
    const { tools, state, mandate } = scene(document);
    let runs = 0;
    const pay = () => {
      runs += 1;
      return 'paid';
    };
    const deferred = await errorOf<MandateDeferredError>(tools.run('pay', { to: 'ann' }, pay));
    expect(deferred).toBeInstanceOf(MandateDeferredError);
    expect(deferred).toMatchObject({ code: 'APPROVAL_REQUIRED', approvalId: expect.stringMatching(/^apv_/) });
    const again = { actionId: deferred.action.id };
    expect(await errorOf<Error>(tools.run('pay', { to: 'ann' }, pay, again))).toMatchObject({
      code: 'APPROVAL_REQUIRED',
    });
    const { tenant, agentId, actionId, digest } = deferred.decision as Decision;
    await state.ledger.approve({
      ...{ id: 'a1', by: 'op', reason: 'fine', tenant, agentId, actionId, digest },
      answer: 'granted',
      expiresAtMs: state.clock() + 60_000,
    });
    expect(await tools.run('pay', { to: 'ann' }, pay, again)).toBe('paid');
    expect(await errorOf(tools.run('pay', { to: 'ann' }, pay, again))).toMatchObject({
      code: 'DUPLICATE_ACTION',
    });
    expect([runs, (await mandate.getCost()).totalMicros]).toEqual([1, 5_000_000]);
  });
});

test('the costs of an agent agree with its lifetime budget in the ledger, also above the cap of an actual cost', async () => {
  const clock = manualClock(Date.parse('2026-03-01T12:00:00Z'));
  const state = new MemoryStateManager({ clock });
  const mandate = new Mandate({
    agentId: 'bot',
    mandate: { maxCostTotal: 1_000, toolPolicies: { pay: { cost: 5, maxActualCost: 6 } } },
    state,
  });
  const tools = mandate.createExecutor();
  await tools.run('pay', {}, () => 'paid', { actualCostMicros: 9_000_000 });
  await errorOf(tools.run('pay', {}, () => Promise.reject(new Error('no'))));
  await tools.run('pay', {}, () => 'paid');
  const total = (await state.ledger.balances('default')).find(({ budget }) => budget.id === 'total');
  expect(total?.spent).toBe(14_000_000);
  expect((await mandate.getCost()).totalMicros).toBe(14_000_000);
  expect(await mandate.getRemainingBudget()).toBe(986_000_000);
});
