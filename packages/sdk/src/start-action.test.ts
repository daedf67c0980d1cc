import type { ActionRequested, KillTarget } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { recordedMandate } from './adapters/recorded-mandate.fixture.ts';
import { Mandate, MandateBlockedError } from './index.ts';
import { localPoint } from './local/local-point.ts';
import { startAction } from './start-action.ts';
import { MemoryStateManager } from './state.ts';
import type { Kill } from './types.ts';

describe('a model call', () => {
  const call = {
    type: 'llm_call',
    provider: 'openai',
    model: 'gpt-4o',
    inputTokens: 1_000,
    maxOutputTokens: 100,
  } as const;

  test('reserves the highest possible cost, and is settled at the actual cost', async () => {
    const mandate = new Mandate({ agentId: 'bot', mandate: { maxCostTotal: 1, allowedTools: [] } });
    const running = await mandate.agent().start(call);
    expect((await mandate.getCost()).llmMicros).toBeGreaterThan(2_000);
    await running.settle({ status: 'success', actualCostMicros: 3_000 });
    expect(await mandate.getCost()).toEqual({ totalMicros: 3_000, llmMicros: 3_000, toolMicros: 0 });
    expect(await mandate.getCallCount()).toBe(1);
  });

  test('is settled at the price of its tokens, also if it was aborted', async () => {
    const errors: unknown[] = [];
    const mandate = new Mandate({
      agentId: 'bot',
      mandate: { maxCostTotal: 1, allowedTools: [] },
      onError: (error) => errors.push(error),
    });
    const usage = { inputTokens: 1_000, cachedInputTokens: 800, outputTokens: 10 };
    const running = await mandate.agent().start(call);
    await running.settle({ status: 'success', usage });
    expect((await mandate.getCost()).llmMicros).toBe(1_600);
    const stop = new AbortController();
    const aborted = await mandate.agent().start({ ...call, options: { signal: stop.signal } });
    stop.abort();
    await aborted.settle({ status: 'failure', usage });
    expect((await mandate.getCost()).llmMicros).toBe(3_200);
    const unknown = await mandate.agent().start(call);
    await unknown.settle({
      status: 'success',
      usage: { inputTokens: 1, cachedInputTokens: 2, outputTokens: 0 },
    });
    expect((await mandate.getCost()).llmMicros).toBe(3_200 + (unknown.decision.chargedMicros ?? 0));
    expect(errors).toHaveLength(1);
  });

  test('of an unknown model does not run under a budget', async () => {
    const mandate = new Mandate({ agentId: 'bot', mandate: { maxCostTotal: 1 } });
    const refused = await mandate
      .agent()
      .start({ ...call, model: 'secret-9' })
      .catch((error) => error);
    expect(refused).toBeInstanceOf(MandateBlockedError);
    expect(refused).toMatchObject({ code: 'UNPRICED_MODEL', action: { model: 'secret-9' } });
  });
});

test('only the first outcome of a call counts', async () => {
  const { mandate, outcomes } = recordedMandate({
    document: { toolPolicies: { pay: { cost: 1, maxActualCost: 100 } } },
  });
  const running = await mandate.agent().start({ type: 'tool_call', tool: 'pay', args: {} });
  await Promise.all([
    running.settle({ status: 'success', actualCostMicros: 5_000_000 }),
    running.settle({ status: 'failure' }),
    running.settle({ status: 'success', actualCostMicros: 9_000_000 }),
  ]);
  expect((await mandate.getCost()).totalMicros).toBe(5_000_000);
  expect(outcomes).toEqual([{ status: 'success' }]);
});

test('an aborted call is charged what its caller measured, or its whole reservation', async () => {
  const mandate = new Mandate({ agentId: 'bot', mandate: { toolPolicies: { pay: { cost: 1 } } } });
  const agent = mandate.agent();
  const caller = new AbortController();
  const call = { type: 'tool_call', tool: 'pay', args: {}, options: { signal: caller.signal } } as const;
  const [measured, unknown] = await Promise.all([agent.start(call), agent.start(call)]);
  caller.abort();
  await measured.settle({ status: 'failure', actualCostMicros: 300_000 });
  await unknown.settle({ status: 'failure' });
  expect((await mandate.getCost()).totalMicros).toBe(1_300_000);
});

describe('a kill', () => {
  const tenant = 'default';
  const agent = (agentId: string): KillTarget => ({ scope: 'agent', tenant, agentId });
  const subtree = (agentId: string): KillTarget => ({ scope: 'subtree', tenant, agentId });

  /** Starts a call of `boss.bot`, a sub-agent of `boss`, on a point that reports a kill only for its target. */
  function scene() {
    const local = localPoint({ mandate: {}, state: new MemoryStateManager() });
    let listener = (_kill: Kill) => {};
    const kill = (target: KillTarget) =>
      listener({ agentId: 'agentId' in target ? target.agentId : null, reason: 'runaway', target });
    const start = (beforeAnswer = () => {}) => {
      const point = {
        ...local,
        kills: {
          ...local.kills,
          onKill: (one: typeof listener) => {
            listener = one;
            return () => {};
          },
        },
        async decide(record: ActionRequested) {
          const decision = await local.decide(record);
          beforeAnswer();
          const mandate = { ...decision.mandate, policies: ['base@1 of boss'] };
          return { ...decision, mandate } as typeof decision;
        },
      };
      const call = { type: 'tool_call', tool: 'pay', args: {} } as const;
      return startAction({ agentId: 'boss.bot', call, point, onError: () => {} });
    };
    return { start, kill };
  }

  const STOPPING: [string, KillTarget][] = [
    ['of everything', { scope: 'all' }],
    ['of the tenant', { scope: 'tenant', tenant }],
    ['of the agent', agent('boss.bot')],
    ['of the agent and its descendants', subtree('boss.bot')],
    ['of an ancestor and its descendants', subtree('boss')],
  ];

  test.each(STOPPING)('%s aborts a running call', async (_what, target) => {
    const { start, kill } = scene();
    const { signal } = await start();
    kill(target);
    expect(signal.reason).toMatchObject({ code: 'AGENT_KILLED' });
  });

  test.each(STOPPING)('%s before the answer of the decision blocks the call', async (_what, target) => {
    const { start, kill } = scene();
    await expect(start(() => kill(target))).rejects.toMatchObject({ code: 'AGENT_KILLED' });
  });

  test.each([
    ['of an ancestor alone', agent('boss')],
    ['of another agent and its descendants', subtree('clerk')],
    ['of a descendant', subtree('boss.bot.helper')],
  ])('%s stops no call', async (_what, target) => {
    const { start, kill } = scene();
    const { signal } = await start(() => kill(target));
    kill(target);
    expect(signal.aborted).toBe(false);
  });
});
