import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { isMandateError } from '@mandate/runtime';
import {
  describeWithOwnServers,
  plainRedis,
  type RedisServer,
  startFaultProxy,
  startRedis,
  waitUntil,
} from '@mandate/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { AuditRecord } from '../audit/audit-output.ts';
import { codeOf, PAY, tally, untilAborted } from '../contract/scene.ts';
import { serverDies } from '../contract/server-dies.ts';
import { sdkContract } from '../contract.ts';
import { findMandateError } from '../errors.ts';
import { type Call, Mandate, type MandateOptions } from '../index.ts';
import { RedisStateManager } from './redis-state.ts';

/** A Redis for all tests that do not break it. */
let server: RedisServer;

/** Two instances as in two processes: each has its own connections. */
async function two(options: MandateOptions, url?: string) {
  const redis = url ?? server.url;
  const redisPrefix = `test-${randomUUID()}`;
  const make = () => {
    // A busy machine answers late. A test that stops its own Redis waits for the time limit.
    const timeoutMs = url === undefined ? 20_000 : 2_000;
    const onError = options.onError ?? (() => {});
    const state = new RedisStateManager({ url: redis, prefix: redisPrefix, timeoutMs, onError });
    const mandate = new Mandate({ mode: 'distributed', state, agentId: 'bot', ...options });
    onTestFinished(async () => {
      await mandate.close({ timeoutMs: 1 });
      await state.close();
    });
    return { mandate, tools: mandate.createExecutor() };
  };
  return { one: make(), other: make(), redisPrefix, redis };
}

describeWithOwnServers(['redis'], 'on one Redis', () => {
  beforeAll(async () => {
    server = await startRedis({ appendonly: true, config: { appendfsync: 'everysec' } });
  });
  afterAll(() => server?.stop());

  let state: RedisStateManager | null = null;
  let agents = 0;
  sdkContract('distributed mode', async (document) => {
    state ??= new RedisStateManager({ url: server.url, prefix: `test-${randomUUID()}`, timeoutMs: 20_000 });
    agents += 1;
    const agentId = `agent-${agents}`;
    const mandate = new Mandate({ mode: 'distributed', agentId, mandate: document, state });
    return { agentId, mandate, tools: mandate.createExecutor() };
  });

  test('1,000 calls of a dollar at once on two instances, under a hundred dollars: 100 run', async () => {
    const mandate = { maxCostTotal: 100, toolPolicies: { pay: { cost: 1 } } };
    const { one, other } = await two({ mandate });
    const codes = await Promise.all(
      Array.from({ length: 1_000 }, (_, at) =>
        codeOf((at % 2 === 0 ? one : other).tools.run('pay', { at }, () => 'paid')),
      ),
    );
    expect(tally(codes)).toEqual({ ran: 100, COST_LIMIT_EXCEEDED: 900 });
    for (const { mandate } of [one, other]) {
      await expect.poll(async () => (await mandate.getCost()).totalMicros).toBe(100_000_000);
      expect([await mandate.getCallCount(), await mandate.getRemainingBudget()]).toEqual([100, 0]);
    }
  });

  test('20 calls of five dollars at once in two processes, under ten dollars: two run', async () => {
    const redis = server.url;
    const prefix = `test-${randomUUID()}`;
    const codesOf = () =>
      new Promise<string[]>((resolve, reject) => {
        const child = fork(new URL('./pays.fixture.ts', import.meta.url), [redis, prefix]);
        child.once('message', (codes) => resolve(codes as string[]));
        child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)));
      });
    const codes = (await Promise.all([codesOf(), codesOf()])).flat();
    expect(tally(codes)).toEqual({ ran: 2, COST_LIMIT_EXCEEDED: 18 });
  });

  test('a kill in one instance aborts a running call in another, once, and blocks its next calls', async () => {
    const { one, other } = await two({ mandate: PAY });
    const heard: unknown[] = [];
    for (const { mandate } of [one, other])
      mandate.onKill(({ agentId, reason }) => heard.push({ agentId, reason }));
    await one.tools.run('pay', {}, () => 'paid');
    const started = Promise.withResolvers<void>();
    const running = other.tools.run('pay', {}, (_args, signal) => {
      started.resolve();
      return untilAborted({}, signal);
    });
    const code = codeOf(running);
    await started.promise;
    await one.mandate.kill('bot', 'runaway');
    expect(await code).toBe('AGENT_KILLED');
    expect(await codeOf(other.tools.run('pay', {}, () => 'paid'))).toBe('AGENT_KILLED');
    await waitUntil('both instances to hear of it', () => heard.length >= 2);
    expect(heard).toEqual([
      { agentId: 'bot', reason: 'runaway' },
      { agentId: 'bot', reason: 'runaway' },
    ]);
    expect(await other.mandate.revive('bot')).toBe(true);
    expect(await codeOf(one.tools.run('pay', {}, () => 'paid'))).toBe('ran');
  });

  test('a call that was decided with `ask` does not start after a kill by another instance', async () => {
    const { one, other } = await two({ mandate: PAY, runId: 'run-1' });
    const call: Call = { type: 'tool_call', tool: 'pay', args: {}, options: { callId: 'call-1' } };
    await one.mandate.agent().ask(call);
    await other.mandate.kill('bot', 'runaway');
    expect(await codeOf(one.mandate.agent().start(call))).toBe('AGENT_KILLED');
  });

  test('a kill that is followed by a revive still aborts the running calls of other instances', async () => {
    const { one, other } = await two({ mandate: PAY });
    const started = Promise.withResolvers<void>();
    const running = one.tools.run('pay', {}, (_args, signal) => {
      started.resolve();
      return untilAborted({}, signal);
    });
    const code = codeOf(running);
    await started.promise;
    await other.mandate.kill('bot', 'runaway');
    await other.mandate.revive('bot');
    expect(await code).toBe('AGENT_KILLED');
    expect(await codeOf(one.tools.run('pay', {}, () => 'paid'))).toBe('ran');
  });

  test('a kill of every agent stops all instances with the prefix, and no others', async () => {
    const { one, other } = await two({ mandate: PAY });
    const apart = await two({ mandate: PAY });
    await one.mandate.killAll('incident 42');
    expect(await codeOf(other.tools.run('pay', {}, () => 'paid'))).toBe('AGENT_KILLED');
    expect(await codeOf(apart.one.tools.run('pay', {}, () => 'paid'))).toBe('ran');
    await other.mandate.reviveAll();
    expect(await codeOf(one.tools.run('pay', {}, () => 'paid'))).toBe('ran');
  });

  test('charges the outcome of a call that ends during an interruption of Redis', async () => {
    const proxy = await startFaultProxy(server.port, '');
    onTestFinished(() => proxy[Symbol.dispose]());
    const mandate = { maxCostTotal: 5, toolPolicies: { pay: { cost: 1, maxActualCost: 9 } } };
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const { one } = await two({ mandate, onError }, `redis://127.0.0.1:${proxy.port}`);
    const call = one.tools.run('pay', {}, async () => proxy.cut(), { actualCostMicros: 9_000_000 });
    await call;
    await waitUntil('the report', () => errors.some((error) => isMandateError(error, 'OUTCOMES_DELAYED')));
    proxy.restore();
    await one.mandate.flush({ timeoutMs: 30_000 });
    await expect.poll(() => codeOf(one.tools.run('pay', {}, () => 'paid'))).toBe('COST_LIMIT_EXCEEDED');
    expect(await one.mandate.getRemainingBudget()).toBe(-4_000_000);
  });

  test('a decision and a settlement whose answers are lost count once, in every sum', async () => {
    const redis = await startRedis({ appendonly: true, config: { appendfsync: 'always' } });
    onTestFinished(() => redis.stop());
    const taken: AuditRecord[] = [];
    const audit = [(records: readonly AuditRecord[]) => taken.push(...records)];
    const mandate = { maxCostTotal: 100, toolPolicies: { pay: { cost: 5, maxActualCost: 50 } } };
    const { one } = await two({ mandate, audit, onError: () => {} }, redis.url);
    const stopped = async <T>(work: () => Promise<T>): Promise<T> => {
      process.kill(redis.pid, 'SIGSTOP');
      setTimeout(() => process.kill(redis.pid, 'SIGCONT'), 2_500);
      return work();
    };
    await one.tools.run('pay', {}, () => 'paid');
    expect(await stopped(() => one.tools.run('pay', {}, () => 'paid'))).toBe('paid');
    const settled = { actualCostMicros: 50_000_000 };
    await one.tools.run('pay', {}, () => stopped(async () => 'paid'), settled);
    await one.mandate.flush({ timeoutMs: 30_000 });
    const spent = taken.map((record) =>
      record.event === 'action.decided'
        ? record.decision.chargedMicros
        : record.settlement.deltaMicros + record.settlement.excessMicros,
    );
    expect(spent.reduce((sum, micros) => sum + micros, 0)).toBe(60_000_000);
    await expect.poll(async () => (await one.mandate.getCost()).totalMicros).toBe(60_000_000);
    expect([await one.mandate.getCallCount(), await one.mandate.getRemainingBudget()]).toEqual([
      3, 40_000_000,
    ]);
  });

  test('records what it decided, with the time of Redis', async () => {
    const taken: AuditRecord[] = [];
    const audit = [(records: readonly AuditRecord[]) => taken.push(...records)];
    const { one } = await two({ mandate: PAY, audit });
    const redis = plainRedis(server.url);
    onTestFinished(() => redis.disconnect());
    const timeOfRedis = async () => Number((await redis.time())[0]) * 1_000;
    const real = Date.now;
    onTestFinished(() => {
      Date.now = real;
    });
    Date.now = () => real() + 50_000;
    const beganMs = await timeOfRedis();
    await one.tools.run('pay', {}, () => 'paid');
    const endedMs = (await timeOfRedis()) + 1_000;
    await one.mandate.flush();
    expect(taken.map(({ event }) => event)).toEqual(['action.decided', 'action.settled']);
    const [first] = taken;
    const decidedAtMs = Date.parse(first?.event === 'action.decided' ? first.decision.decidedAt : '');
    expect(decidedAtMs).toBeGreaterThanOrEqual(beganMs);
    expect(decidedAtMs).toBeLessThanOrEqual(endedMs);
  });

  test('a clock of this process that is wrong moves no window; if it is far off, calls are blocked', async () => {
    const { one } = await two({ mandate: { rateLimit: { maxCalls: 1, windowMs: 30_000 } } });
    expect(await codeOf(one.tools.run('pay', {}, () => 'paid'))).toBe('ran');
    const real = Date.now;
    onTestFinished(() => {
      Date.now = real;
    });
    const codeAt = (offMs: number) => {
      Date.now = () => real() + offMs;
      return codeOf(one.tools.run('pay', {}, () => 'paid'));
    };
    expect([await codeAt(50_000), await codeAt(-50_000)]).toEqual([
      'RATE_LIMIT_EXCEEDED',
      'RATE_LIMIT_EXCEEDED',
    ]);
    expect([await codeAt(7_200_000), await codeAt(-7_200_000)]).toEqual(['INTERNAL_ERROR', 'INTERNAL_ERROR']);
  });

  test('needs a Redis, and accepts no clock of the program', () => {
    expect(() => new Mandate({ mode: 'distributed', mandate: PAY })).toThrow(/no Redis/);
    const options = { mode: 'distributed', redis: 'redis://127.0.0.1:1', mandate: PAY } as const;
    expect(() => new Mandate({ ...options, clock: () => 0 })).toThrow(/clock of Redis/);
  });
});

describeWithOwnServers(['redis'], 'on a Redis that goes away', () => {
  serverDies('Redis', async () => {
    const server = await startRedis({ appendonly: true });
    onTestFinished(() => server.stop());
    const errors: unknown[] = [];
    const state = new RedisStateManager({ url: server.url, onError: (error) => errors.push(error) });
    onTestFinished(() => state.close());
    let agents = 0;
    return {
      errors,
      kill: () => server.kill(),
      async agentUnder(document) {
        agents += 1;
        const agentId = `agent-${agents}`;
        const onError = (error: unknown) => errors.push(error);
        const mandate = new Mandate({ mode: 'distributed', agentId, mandate: document, state, onError });
        return { agentId, mandate, tools: mandate.createExecutor() };
      },
    };
  });

  test('blocks while Redis is away, within the time limit, and never allows', async () => {
    const server = await startRedis({ appendonly: true });
    onTestFinished(() => server.stop());
    const errors: unknown[] = [];
    const { one, other } = await two({ mandate: PAY, onError: (error) => errors.push(error) }, server.url);
    expect(await codeOf(one.tools.run('pay', {}, () => 'paid'))).toBe('ran');
    await server.kill();
    let runs = 0;
    const beganMs = performance.now();
    for (const { tools } of [one, other, one]) {
      const refused = await tools
        .run('pay', {}, () => {
          runs += 1;
        })
        .catch((error: unknown) => findMandateError(error));
      expect(refused).toMatchObject({ code: 'INTERNAL_ERROR', cause: { code: 'LEDGER_UNAVAILABLE' } });
    }
    expect(performance.now() - beganMs).toBeLessThan(10_000);
    expect(runs).toBe(0);
    await expect(one.mandate.getCost()).rejects.toThrow();
    // A kill aborts the calls of this process, although it cannot reach the others.
    const heard: unknown[] = [];
    one.mandate.onKill((kill) => heard.push(kill.reason));
    await expect(one.mandate.kill('bot', 'stop')).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
    expect(heard).toEqual(['stop']);
  });

  test('blocks if Redis hangs, and does not wait for it without end', async () => {
    const server = await startRedis({ appendonly: true });
    onTestFinished(() => server.stop());
    const { one } = await two({ mandate: PAY, onError: () => {} }, server.url);
    expect(await codeOf(one.tools.run('pay', {}, () => 'paid'))).toBe('ran');
    process.kill(server.pid, 'SIGSTOP');
    try {
      expect(await codeOf(one.tools.run('pay', {}, () => 'paid'))).toBe('INTERNAL_ERROR');
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
  });
});
