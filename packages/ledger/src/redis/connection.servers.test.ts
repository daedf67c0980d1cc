/** Tests faults of the connection between the ledger and its server. */
import { isMandateError } from '@mandate/runtime';
import { describeWithOwnServers, startFaultProxy, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { allow, decide, spent } from '../contract/bench.ts';
import { budget, confirmation, planOf, stepRequest, TENANT } from '../contract/builders.ts';
import type { Ledger, Operation, StepResult } from '../port.ts';
import { freshLedger } from './fresh-ledger.fixture.ts';
import { ownRedis } from './own-redis.fixture.ts';
import { createRedisLedger } from './redis-ledger.ts';

describeWithOwnServers(['redis'], 'between the ledger and its server', () => {
  const own = ownRedis();

  const unavailable = expect.objectContaining({ code: 'LEDGER_UNAVAILABLE', retryable: true });

  async function ledgerThrough(url: string, options: object = {}) {
    const ledger = await freshLedger({ url, ...options });
    onTestFinished(() => ledger.close());
    return ledger;
  }

  /** Repeats the step until the ledger is ready again, as a decider does. */
  function stepUntilBack(ledger: Ledger, batch: readonly Operation[]): Promise<readonly StepResult[]> {
    return waitUntil('the ledger to be back', () =>
      ledger.step(batch).catch((error: unknown) => {
        if (!isMandateError(error, 'LEDGER_UNAVAILABLE')) throw error;
        return null;
      }),
    );
  }

  test('does not repeat a step after a lost response, and charges nothing twice if the caller repeats the step', async () => {
    using proxy = await startFaultProxy(own.server.port, 'evalsha');
    const ledger = await ledgerThrough(`redis://127.0.0.1:${proxy.port}`);
    await allow(ledger, stepRequest());
    const request = stepRequest({ actionId: 'the-lost-one' });
    const lost = proxy.loseAnswer('the-lost-one');
    await expect(ledger.step([request])).rejects.toEqual(unavailable);
    await lost;
    const [again] = await stepUntilBack(ledger, [request]);
    expect(again).toMatchObject({ kind: 'decided', redelivered: true, facts: { sequence: 2 } });
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 200 });
  });

  test('applies a kill, an adjustment and an approval once, even if the response is lost', async () => {
    using proxy = await startFaultProxy(own.server.port, 'evalsha');
    const ledger = await ledgerThrough(`redis://127.0.0.1:${proxy.port}`);
    await allow(ledger, stepRequest());
    const asked = stepRequest({ plan: planOf({ limits: [confirmation] }) });
    await ledger.step([asked]);
    const order = (id: string) => ({ id, by: 'op', reason: 'r' });
    const total = { scope: 'agent', subject: 'agent-1', id: 'total', windowMs: null } as const;
    const target = { scope: 'tenant', tenant: TENANT } as const;
    const { agentId, actionId, digest } = asked;
    const approval = { agentId, actionId, digest, answer: 'granted', expiresAtMs: 9e15 } as const;
    const commands: Record<string, () => Promise<object>> = {
      'adj-lost': () => ledger.adjust({ ...order('adj-lost'), tenant: TENANT, budget: total, delta: 7 }),
      'app-lost': () => ledger.approve({ ...order('app-lost'), tenant: TENANT, ...approval }),
      'kill-lost': () => ledger.kill(target, order('kill-lost')),
      'all-lost': () => ledger.kill({ scope: 'all' }, order('all-lost')),
    };
    for (const [id, command] of Object.entries(commands)) {
      const lost = proxy.loseAnswer(id);
      await expect(command()).rejects.toEqual(unavailable);
      await lost;
      await waitUntil('the answer', () => command().catch(() => null));
    }
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 107 });
    expect(await ledger.flag(target)).toMatchObject({ revision: 1 });
    expect(await ledger.flag({ scope: 'all' })).toMatchObject({ revision: 1 });
  });

  test('stops waiting for a server that does not answer, and repeats nothing by itself', async () => {
    const ledger = await ledgerThrough(own.server.url, { commandTimeoutMs: 1_000 });
    await allow(ledger, stepRequest());
    own.server.pause();
    const request = stepRequest();
    await expect(ledger.step([request])).rejects.toEqual(unavailable);
    own.server.resume();
    const [again] = await stepUntilBack(ledger, [request]);
    expect(again).toMatchObject({ kind: 'decided', redelivered: true });
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 200 });
  });

  test('reports LEDGER_UNAVAILABLE if no server listens', async () => {
    await expect(createRedisLedger({ url: 'redis://127.0.0.1:1' })).rejects.toEqual(unavailable);
  });

  test('decides nothing on a full server, but still carries out a kill', async () => {
    const ledger = await ledgerThrough(own.server.url);
    await allow(ledger, stepRequest());
    onTestFinished(async () => void (await own.redis.config('SET', 'maxmemory', '0')));
    await own.redis.config('SET', 'maxmemory', '1');
    await expect(ledger.step([stepRequest()])).rejects.toEqual(unavailable);
    const receipt = await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'full' });
    expect(receipt.open).toHaveLength(1);
    await own.redis.config('SET', 'maxmemory', '0');
    expect((await decide(ledger, stepRequest())).kill).toMatchObject({ reason: 'full' });
  });

  test('fails a step while required replicas are missing, and answers the repeated step when the replicas have its writes', async () => {
    const ledger = await ledgerThrough(own.server.url);
    const request = await allow(ledger, stepRequest());
    expect(request.tenant).toBe(TENANT);
    await expect(
      freshLedger({ url: own.server.url, waitReplicas: { count: 1, timeoutMs: 20 } }),
    ).rejects.toMatchObject({
      code: 'LEDGER_UNAVAILABLE',
      message: 'Only 0 of 1 replicas have the newest writes.',
    });
  });

  test('sends scripts again if the server has lost them', async () => {
    const ledger = await ledgerThrough(own.server.url);
    await allow(ledger, stepRequest());
    await own.redis.script('FLUSH');
    await Promise.all([1, 2, 3].map(() => allow(ledger, stepRequest())));
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 400 });
  });

  test('keeps the order of each agent in a batch that needs several calls, also after a replan', async () => {
    const ledger = await ledgerThrough(own.server.url);
    const limits = [budget({ maxMicros: 20_000 })];
    const batch = Array.from({ length: 350 }, (_, at) =>
      stepRequest({ plan: planOf({ limits }), tenant: at % 7 === 0 ? 'other' : TENANT }),
    );
    const results = await ledger.step(batch);
    const sequences = results.flatMap((result, at) =>
      'facts' in result && batch[at]?.tenant === TENANT ? [result.facts.sequence] : [],
    );
    expect(sequences).toEqual(Array.from({ length: 300 }, (_, at) => at + 1));
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 20_000 });
    expect(await ledger.step(batch)).toEqual(results.map((result) => ({ ...result, redelivered: true })));

    const again = batch.map((request) =>
      stepRequest({ ...request, source: stepRequest().source, actionId: `${request.actionId}-x` }),
    );
    const over = again.map((request, at) =>
      at === 30 ? { ...request, plan: planOf({ holdsUntilMs: 0 }) } : request,
    );
    const kinds = (await ledger.step(over)).map(({ kind }, at) => [
      kind,
      over[at]?.tenant === TENANT && at >= 30,
    ]);
    expect(kinds).toEqual(kinds.map(([, waits]) => [waits ? 'replan' : 'decided', waits]));
  });

  test('changes nothing if a call contains another record for a known position', async () => {
    const ledger = await ledgerThrough(own.server.url);
    const known = await allow(ledger, stepRequest());
    const batch = [stepRequest(), { ...known, digest: 'another' }, stepRequest()];
    await expect(ledger.step(batch)).rejects.toMatchObject({ code: 'LEDGER_CORRUPT', retryable: false });
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 100 });
    expect((await decide(ledger, stepRequest())).sequence).toBe(2);
  });

  test('refuses amounts that are not integers before it writes anything', async () => {
    const ledger = await ledgerThrough(own.server.url);
    await allow(ledger, stepRequest());
    for (const reserveMicros of [0.5, 2 ** 53, Number.NaN]) {
      await expect(
        ledger.step([stepRequest(), stepRequest({ plan: planOf({ reserveMicros }) })]),
      ).rejects.toThrow(/not an integer/);
    }
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 100 });
    expect((await decide(ledger, stepRequest())).sequence).toBe(2);
  });
});
