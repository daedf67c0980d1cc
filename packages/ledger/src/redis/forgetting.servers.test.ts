/** Memory is given back: what is forgotten leaves Redis, a little with each step, and windows leave it by themselves. */
import { manualClock } from '@mandate/runtime';
import { describeWithOwnServers, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { decide, isAllowed, lookAt, spent } from '../contract/bench.ts';
import {
  AGENT,
  budget,
  planOf,
  rate,
  refusal,
  repeated,
  settleRequest,
  stepRequest,
  TENANT,
} from '../contract/builders.ts';
import { freshLedger, freshNamespace, START_MS } from './fresh-ledger.fixture.ts';
import { ownRedis } from './own-redis.fixture.ts';

describeWithOwnServers(['redis'], 'forgetting', () => {
  const own = ownRedis();

  /** How much is in each hash, set and list of the tenant's generation, by the end of its name. */
  async function sizes(namespace: string): Promise<Record<string, number>> {
    const found: Record<string, number> = {};
    for (const key of await own.redis.keys(`${namespace}:{${TENANT}}:[0-9]*`)) {
      const type = await own.redis.type(key);
      const name = key.split(':').slice(3).join(':');
      if (type === 'hash') found[name] = await own.redis.hlen(key);
      if (type === 'zset') found[name] = await own.redis.zcard(key);
      if (type === 'set') found[name] = await own.redis.scard(key);
      if (type === 'list') found[name] = await own.redis.llen(key);
    }
    return found;
  }

  test('of what is forgotten nothing stays but counters', async () => {
    const namespace = freshNamespace();
    const clock = manualClock(START_MS);
    const ledger = await freshLedger({ url: own.server.url, namespace, clock, replayMemoryMs: 1_000 });
    onTestFinished(() => ledger.close());
    const limits = [rate({ maxCalls: 1_000, windowMs: 500 }), budget({ id: 'w', windowMs: 500 })];
    const requests = Array.from({ length: 60 }, (_, at) =>
      stepRequest({
        idempotencyKey: `key-${at}`,
        plan: planOf({ limits, leaseMs: 700, reserveMicros: 1, refusal: at % 3 === 0 ? refusal() : null }),
      }),
    );
    const outcomes = requests.slice(0, 30).map((request) => settleRequest(request));
    const duplicates = requests.slice(0, 10).map((request) => repeated(request));
    await ledger.step([...requests, ...outcomes, ...duplicates]);
    const order = (id: string) => ({ id, by: 'op', reason: 'r', tenant: TENANT });
    const total = { scope: 'agent', subject: AGENT, id: 'total', windowMs: null } as const;
    await ledger.adjust({ ...order('adj'), budget: total, deltaMicros: 5 });
    const grant = {
      agentId: AGENT,
      actionId: 'a',
      digest: 'd',
      answer: 'granted',
      expiresAtMs: 1_100,
    } as const;
    await ledger.approve({ ...order('app'), ...grant });
    for (let at = 0; at < 256; at += 1)
      await ledger.kill({ scope: 'agent', tenant: TENANT, agentId: 'x' }, order(`before-${at}`));
    expect(await sizes(namespace)).toMatchObject({
      seen: 100,
      actions: 60,
      keys: 60,
      unpublished: 100,
      done: 2,
    });
    await ledger.confirm(ledger.epoch, [...requests, ...outcomes, ...duplicates]);
    expect(await sizes(namespace)).toMatchObject({ seen: 100, forget: 103 });

    clock.advance(2_000);
    for (let step = 0; step < 30; step += 1) {
      const request = stepRequest({ agentId: 'other' });
      await ledger.step([request]);
      await ledger.confirm(ledger.epoch, [request]);
    }
    await ledger.kill({ scope: 'agent', tenant: TENANT, agentId: 'x' }, order('after'));
    const left = await sizes(namespace);
    expect(left).toMatchObject({ seen: 30, actions: 30, running: 30, forget: 30 });
    for (const name of ['keys', 'unpublished', 'done', 'grants']) expect(left).not.toHaveProperty(name);
    expect(await own.redis.hlen(`${namespace}:{${TENANT}}:commands`)).toBe(1);
    // 60 less the 20 that were refused, 1 each: 10 of them settled as they were reserved; and the adjustment.
    expect(await spent(ledger, TENANT)).toMatchObject({ 'agent agent-1 total': 45 });
  });

  test("a window and a rate leave Redis by themselves, on the server's clock, and never before they are over", async () => {
    const namespace = freshNamespace();
    const ledger = await freshLedger({ url: own.server.url, namespace });
    onTestFinished(() => ledger.close());
    const windowMs = 800;
    const limits = [rate({ maxCalls: 1, windowMs }), budget({ id: 'w', windowMs, maxMicros: 100 })];
    const plan = planOf({ limits });
    const { atMs } = await decide(ledger, stepRequest({ plan }));
    const keys = (await own.redis.keys(`${namespace}:{${TENANT}}:*`)).filter((key) =>
      /:(rate|window):/.test(key),
    );
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      const expiresAtMs = Number(await own.redis.call('PEXPIRETIME', key));
      expect(expiresAtMs - atMs).toBeGreaterThanOrEqual(windowMs);
      expect(expiresAtMs - atMs).toBeLessThan(windowMs + 10);
    }
    expect(isAllowed(await decide(ledger, stepRequest({ plan })))).toBe(false);
    await waitUntil('both to leave', async () => (await own.redis.exists(...keys)) === 0);
    const [free, full] = limits;
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 100 });
    for (const limit of [free, full]) {
      if (limit === undefined) continue;
      const request = stepRequest({ plan: planOf({ reserveMicros: 0, limits: [limit] }) });
      expect(await lookAt(ledger, request)).toMatchObject({ ok: true });
    }
  });
});
