import { describe, expect, test } from 'vitest';
import { Mandate, MemoryStateManager } from './index.ts';
import type { MandateDocument } from './types.ts';

const call = { type: 'tool_call', tool: 'pay', args: {} } as const;

function scene(document: MandateDocument = {}) {
  const errors: unknown[] = [];
  const state = new MemoryStateManager();
  const onError = (error: unknown) => errors.push(error);
  const mandate = new Mandate({ agentId: 'boss', mandate: document, state, onError });
  return { mandate, state, errors };
}

const codeOf = (promise: Promise<unknown>) => promise.then(() => 'ran').catch(({ code }) => code);

describe('a view', () => {
  test('states its scope in each call, unless the call states something else', async () => {
    const { mandate } = scene();
    const view = mandate.with({
      runId: 'run-1',
      parentActionId: 'act_1',
      principal: { id: 'u7' },
      context: { environment: 'prod', ticket: 7 },
    });
    const agent = view.with({ runId: 'run-2' }).agent();
    const options = { callId: 'call_0', context: { ticket: 8 }, principal: undefined } as never;
    expect((await agent.start({ ...call, options })).action).toMatchObject({
      id: 'run-2:call_0',
      parentActionId: 'act_1',
      principal: { id: 'u7' },
      context: { environment: 'prod', ticket: 8 },
    });
    expect(await view.createExecutor().run('pay', {}, () => 'paid')).toBe('paid');
  });

  test('shares kills, costs and the memory of calls with its instance, and cannot be configured', async () => {
    const { mandate } = scene({ toolPolicies: { pay: { cost: 5 } } });
    const view = mandate.with({ runId: 'run-1' });
    const options = { callId: 'call_0', runId: 'run-1' };
    await mandate.agent().ask({ ...call, options });
    await view.agent().start({ ...call, options: { callId: 'call_0' } });
    expect([await mandate.getCallCount(), (await view.getCost()).totalMicros]).toEqual([1, 5_000_000]);
    await view.kill('boss', 'runaway');
    expect(await mandate.isKilled()).toBe(true);
    expect(() => view.configure({})).toThrow('can no longer be configured');
  });
});

test('a view flushes and counts the records of its instance', async () => {
  const taken: unknown[] = [];
  const audit = [(records: readonly unknown[]) => taken.push(...records)];
  const view = new Mandate({ agentId: 'boss', mandate: {}, audit }).with({ runId: 'run-1' });
  await view.createExecutor().run('pay', {}, () => 'paid');
  await view.flush();
  expect([taken.length, view.getAuditCounts().written]).toEqual([2, 2]);
});

describe('a sub-agent', () => {
  test('is allowed no more than its parent, whatever its own mandate says', async () => {
    const { mandate } = scene({ allowedTools: ['pay', 'read'] });
    const helper = mandate.delegate({ agentId: 'helper', mandate: { allowedTools: ['pay', 'shell'] } });
    const tools = helper.createExecutor();
    const run = (tool: string) => codeOf(tools.run(tool, {}, () => null));
    expect(tools.agentId).toBe('helper');
    expect([await run('pay'), await run('read'), await run('shell')]).toEqual([
      'ran',
      'TOOL_NOT_ALLOWED',
      'TOOL_NOT_ALLOWED',
    ]);
  });

  test('spends the budget of its parent, and that of each further ancestor', async () => {
    const { mandate } = scene({ maxCostTotal: 10, toolPolicies: { pay: { cost: 5 } } });
    const helper = mandate.delegate({ agentId: 'helper', mandate: { maxCostTotal: 100 } });
    const last = helper.delegate({ agentId: 'last', mandate: {} });
    const pay = (view: Mandate) => codeOf(view.createExecutor().run('pay', {}, () => null));
    expect([await pay(last), await pay(helper), await pay(last), await pay(mandate)]).toEqual([
      'ran',
      'ran',
      'COST_LIMIT_EXCEEDED',
      'COST_LIMIT_EXCEEDED',
    ]);
    expect(await mandate.getRemainingBudget()).toBe(0);
  });

  test('is told which ancestor has the budget or rate that refuses its call', async () => {
    const pay = { cost: 5, rateLimit: { maxCalls: 1, windowMs: 60_000 } };
    const reasonUnder = async (document: MandateDocument) => {
      const { mandate } = scene(document);
      const tools = mandate.delegate({ agentId: 'helper', mandate: { maxCostTotal: 100 } }).createExecutor();
      await mandate.createExecutor().run('pay', {}, () => null);
      return (await tools.run('pay', {}, () => null).catch((error) => error)).reason;
    };
    expect(await reasonUnder({ maxCostTotal: 8, toolPolicies: { pay: { cost: 5 } } })).toMatch(
      /^The agent budget "total" of "boss" is \$8\.00; /,
    );
    expect(await reasonUnder({ toolPolicies: { pay } })).toMatch(/^Calls of "pay" by "boss" and its desc/);
  });

  test('is stopped by a kill of its parent: the running call, the next, and a sub-agent that is made later', async () => {
    const { mandate } = scene({});
    const helper = mandate.delegate({ agentId: 'helper', mandate: {} });
    const last = helper.delegate({ agentId: 'last', mandate: {} });
    const started = Promise.withResolvers<void>();
    const running = last.createExecutor().run('wait', {}, (_args, signal) => {
      started.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const code = codeOf(running);
    await started.promise;
    await mandate.kill('boss', 'runaway');
    expect(await code).toBe('AGENT_KILLED');
    const call = (view: Mandate) => codeOf(view.createExecutor().run('pay', {}, () => null));
    const later = mandate.delegate({ agentId: 'later', mandate: {} });
    expect([await call(helper), await call(last), await call(later)]).toEqual(Array(3).fill('AGENT_KILLED'));
    expect([await mandate.isKilled('last'), await mandate.revive('last')]).toEqual([true, false]);
    const refused = await helper
      .createExecutor()
      .run('pay', {}, () => null)
      .catch((error) => error);
    expect(refused.reason).toBe(
      'The agent "boss", with all its descendants, was stopped by the kill switch: runaway',
    );
    expect(await mandate.revive('boss')).toBe(true);
    expect([await call(mandate), await call(helper), await call(last)]).toEqual(['ran', 'ran', 'ran']);
  });

  test('alone is stopped by a kill of this sub-agent', async () => {
    const { mandate } = scene({});
    const helper = mandate.delegate({ agentId: 'helper', mandate: {} });
    await mandate.kill('helper', 'runaway');
    const call = (view: Mandate) => codeOf(view.createExecutor().run('pay', {}, () => null));
    expect([await call(helper), await call(mandate)]).toEqual(['AGENT_KILLED', 'ran']);
  });

  test('obeys a mandate that is stated for its parent later', async () => {
    const { mandate } = scene({});
    const tools = mandate.delegate({ agentId: 'helper', mandate: {} }).createExecutor();
    expect(await codeOf(tools.run('pay', {}, () => null))).toBe('ran');
    mandate.createExecutor({ mandate: { deniedTools: ['pay'] } });
    expect(await codeOf(tools.run('pay', {}, () => null))).toBe('TOOL_DENIED');
  });

  test('without a mandate may do nothing, and cannot change its parent', async () => {
    const { mandate } = scene({});
    const helper = mandate.delegate({ agentId: 'helper' });
    expect(await codeOf(helper.createExecutor().run('pay', {}, () => null))).toBe('MANDATE_NOT_FOUND');
    mandate.delegate({ agentId: 'helper' });
    const other = mandate.delegate({ agentId: 'other' });
    expect(() => other.delegate({ agentId: 'helper' })).toThrow('is a sub-agent of "boss" already');
    expect(() => helper.delegate({ agentId: 'boss' })).toThrow('its ancestor');
    expect(() => helper.delegate({ agentId: 'helper' })).toThrow('cannot be a sub-agent');
  });
});

test('a kill that fails rejects, and its error is passed to onError even if the caller does not wait', async () => {
  const { mandate, state, errors } = scene();
  mandate.agent();
  await state.close();
  mandate.kill('boss', 'runaway');
  await expect.poll(() => errors.length, { timeout: 30_000 }).toBe(1);
  await expect(mandate.killAll('incident 42')).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  expect(errors).toHaveLength(2);
});
