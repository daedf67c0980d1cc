/** Tests that memory is freed: each step removes some forgotten data from Redis, and windows expire by themselves. */
import { manualClock } from '@mandate/runtime';
import { describeWithOwnServers, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS, decide, limitFactOf, spent } from '../contract/bench.ts';
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
  turn,
} from '../contract/builders.ts';
import { freshLedger, freshNamespace, START_MS } from './fresh-ledger.fixture.ts';
import { ownRedis } from './own-redis.fixture.ts';

describeWithOwnServers(['redis'], 'forgetting', () => {
  const own = ownRedis();

  /** Returns the size of each hash, set and list in the tenant's current generation, by the last part of its key. */
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

  test('keeps only the counters of forgotten deliveries', async () => {
    const namespace = freshNamespace();
    const clock = manualClock(START_MS);
    const ledger = await freshLedger({ url: own.server.url, namespace, clock, replayMemoryMs: 1_000 });
    onTestFinished(() => ledger.close());
    const limits = [rate({ maxCalls: 1_000, windowMs: 500 }), budget({ id: 'w', windowMs: 500 })];
    const requests = Array.from({ length: 60 }, (_, at) =>
      stepRequest({
        idempotencyKey: `key-${at}`,
        plan: planOf({
          limits,
          leaseMs: 700,
          reserveMicros: 1,
          refusal: at % 3 === 0 ? refusal({ final: at > 0 }) : null,
        }),
      }),
    );
    const outcomes = requests.slice(0, 30).map((request) => settleRequest(request));
    const duplicates = requests.slice(0, 10).map((request) => repeated(request));
    await ledger.step([...requests, ...outcomes, ...duplicates]);
    const order = (id: string) => ({ id, by: 'op', reason: 'r', tenant: TENANT });
    const total = { scope: 'agent', subject: AGENT, id: 'total', windowMs: null } as const;
    await ledger.adjust({ ...order('adj'), budget: total, delta: 5 });
    // This request was blocked temporarily, so a person may still approve it.
    const [{ actionId, digest } = stepRequest()] = requests;
    const grant = { agentId: AGENT, actionId, digest, answer: 'granted', expiresAtMs: 1_100 } as const;
    await ledger.approve({ ...order('app'), ...grant });
    for (let at = 0; at < 256; at += 1)
      await ledger.kill({ scope: 'agent', tenant: TENANT, agentId: 'x' }, order(`before-${at}`));
    expect(await sizes(namespace)).toMatchObject({
      seen: 100,
      actions: 60,
      keys: 60,
      done: 2,
      // The field `unpublished` counts calls of the script, and there was one call.
      unpublished: 1,
      answers: 1,
      plans: 1,
      forget: 4,
    });
    await ledger.confirm(ledger.epoch, [...requests, ...outcomes, ...duplicates]);
    const published = await sizes(namespace);
    expect(published).toMatchObject({ seen: 100, windows: 1, rates: 1 });
    for (const name of ['unpublished', 'answers', 'plans']) expect(published).not.toHaveProperty(name);

    clock.advance(DAY_MS + 2_000);
    for (let step = 0; step < 30; step += 1) {
      const request = stepRequest({ agentId: 'other' });
      await ledger.step([request]);
      await ledger.confirm(ledger.epoch, [request]);
    }
    await ledger.kill({ scope: 'agent', tenant: TENANT, agentId: 'x' }, order('after'));
    const left = await sizes(namespace);
    expect(left).toMatchObject({ seen: 30, actions: 30, running: 30, forget: 30 });
    for (const name of ['keys', 'unpublished', 'answers', 'plans', 'done', 'grants', 'windows', 'rates']) {
      expect(left).not.toHaveProperty(name);
    }
    expect(await own.redis.hlen(`${namespace}:{${TENANT}}:commands`)).toBe(1);
    // The 40 allowed requests cost 1 each, and the adjustment adds 5.
    expect(await spent(ledger, TENANT)).toMatchObject({ 'agent agent-1 total': 45 });
  });

  test('keeps no more turns than prompts that are remembered, after a while', async () => {
    const namespace = freshNamespace();
    const clock = manualClock(START_MS);
    const ledger = await freshLedger({ url: own.server.url, namespace, clock, replayMemoryMs: 1_000 });
    onTestFinished(() => ledger.close());
    const open = async (first: number, count: number) => {
      const plan = planOf({ leaseMs: 100, opensTurn: { intent: 'chat', person: 'u1 user' } });
      const prompts = Array.from({ length: count }, (_, at) =>
        stepRequest({ actionId: `p${first + at}`, appendedAtMs: clock(), plan }),
      );
      await ledger.step(prompts);
      await ledger.confirm(ledger.epoch, prompts);
    };
    await open(0, 200);
    expect(await sizes(namespace)).toMatchObject({ turns: 200 });
    clock.advance(1_000);
    for (let call = 0; call < 150; call += 1) {
      await open(200 + call, 1);
      clock.advance(1);
    }
    expect((await sizes(namespace)).turns).toBeLessThan(200);
    await ledger.step([stepRequest({ plan: planOf({ limits: [turn({ turnId: 'p349' })] }) })]);
    expect(await sizes(namespace)).toMatchObject({ actions: 151 });
  });

  test('forgets a delivery that is confirmed late, and keeps a delivery that was decided again', async () => {
    const namespace = freshNamespace();
    const clock = manualClock(START_MS);
    const ledger = await freshLedger({ url: own.server.url, namespace, clock, replayMemoryMs: 1_000 });
    onTestFinished(() => ledger.close());
    const plan = planOf({ leaseMs: 700 });
    const [late, long, anew] = [
      stepRequest({ plan }),
      stepRequest({ plan: planOf({ leaseMs: 5_000 }) }),
      stepRequest({ plan }),
    ];
    await ledger.step([late, long, anew]);
    await ledger.confirm(ledger.epoch, [long, anew]);
    clock.advance(1_000);
    await ledger.step([anew]);
    await ledger.confirm(ledger.epoch, [anew]);
    expect(await sizes(namespace)).toMatchObject({ seen: 3, actions: 3 });
    expect((await ledger.open(TENANT)).map(({ actionId }) => actionId)).toEqual(
      [late, long, anew].map(({ actionId }) => actionId),
    );
    clock.advance(900);
    await ledger.confirm(ledger.epoch, [late]);
    await ledger.step([stepRequest({ agentId: 'other', tenant: 'other' }), settleRequest(anew)]);
    expect(await sizes(namespace)).toMatchObject({ seen: 3, actions: 2 });
    clock.advance(10_000);
    await ledger.step([stepRequest({ agentId: 'other' })]);
    expect(await sizes(namespace)).toMatchObject({ seen: 2, actions: 1, running: 1 });
  });

  test('deletes old parts of a window one day after its end, because the clock may be fast for a while', async () => {
    const namespace = freshNamespace();
    const ledger = await freshLedger({ url: own.server.url, namespace });
    onTestFinished(() => ledger.close());
    const windowMs = 2_000;
    const limits = [rate({ maxCalls: 1_000, windowMs }), budget({ id: 'w', windowMs, maxMicros: 1_000_000 })];
    const plan = planOf({ limits });
    const further = async () =>
      (await own.redis.keys(`${namespace}:{${TENANT}}:*`)).filter((key) => /:(rate|window):/.test(key));
    let atMs = 0;
    await waitUntil('both to have more than is at hand', async () => {
      ({ atMs } = await decide(ledger, stepRequest({ plan })));
      return (await further()).length === 2;
    });
    for (const key of await further()) {
      const expiresAtMs = Number(await own.redis.call('PEXPIRETIME', key));
      const newest = "return redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]";
      const lastBucket = await own.redis.eval(newest, 1, key);
      const widthMs = key.includes(':rate:') ? 1 : windowMs / 1_000;
      expect(expiresAtMs).toBe((Number(lastBucket) + 1) * widthMs - 1 + windowMs + DAY_MS);
      expect(expiresAtMs).toBeLessThanOrEqual(atMs + windowMs + widthMs + DAY_MS);
    }
    await waitUntil('both to be over', () => Date.now() > atMs + windowMs + 10);
    expect(await own.redis.unlink(...(await further()))).toBe(2);
    const [free] = limits;
    const total = Number((await spent(ledger, TENANT))['agent agent-1 total']);
    await waitUntil('nothing to be left', async () => Object.keys(await spent(ledger, TENANT)).length === 1);
    expect(
      await limitFactOf(ledger, stepRequest({ plan: planOf({ limits: free ? [free] : [] }) })),
    ).toMatchObject({
      calls: 0,
    });
    expect(total).toBeGreaterThan(1_600);
  });
});
