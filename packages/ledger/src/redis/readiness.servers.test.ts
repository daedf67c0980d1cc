/** Tests that the data in Redis is used only if nothing can be lost. */
import { manualClock } from '@mandate/runtime';
import { describeWithOwnServers } from '@mandate/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { allow, decide, isAllowed } from '../contract/bench.ts';
import { AGENT, budget, planOf, stepRequest, TENANT } from '../contract/builders.ts';
import { createState } from '../memory/state.ts';
import { freshNamespace, rebuildFrom, START_MS } from './fresh-ledger.fixture.ts';
import { ALL, ONE, order, REPLAY_MS, sceneOn, unready } from './losable-ledger.fixture.ts';
import { ownRedis } from './own-redis.fixture.ts';
import { createRedisLedger } from './redis-ledger.ts';

describeWithOwnServers(['redis'], 'readiness', () => {
  const own = ownRedis();
  const scene = () => sceneOn(own);

  describe('nothing is decided', () => {
    test('if no ledger was ever built', async () => {
      const ledger = await scene().connect();
      expect(ledger.epoch).toBe('');
      await expect(ledger.step([stepRequest()])).rejects.toEqual(unready(/new, or was emptied/));
      await expect(ledger.ping()).rejects.toEqual(unready(/new, or was emptied/));
      await expect(ledger.killStatus(TENANT, AGENT)).rejects.toEqual(unready(/new, or was emptied/));
    });

    test('if all data was lost, for any client', async () => {
      const { ready, connect, lose } = scene();
      const ledger = await ready();
      const request = await allow(ledger, stepRequest());
      await lose('');
      await expect(ledger.step([request])).rejects.toEqual(unready(/emptied/));
      await expect(ledger.confirm('epoch-1', [request])).rejects.toEqual(unready(/emptied/));
      await expect((await connect()).step([request])).rejects.toEqual(unready(/emptied/));
    });

    test('if a tenant in the registry has lost its data: the tenant does not count as new', async () => {
      const { ready, lose } = scene();
      const ledger = await ready();
      const request = await allow(ledger, stepRequest());
      await lose(`{${TENANT}}`);
      await expect(ledger.step([request])).rejects.toEqual(unready(/is missing in Redis/));
      await expect(ledger.confirm('epoch-1', [request])).rejects.toEqual(unready(/is missing in Redis/));
      await expect(ledger.balances(TENANT)).rejects.toEqual(unready(/is missing in Redis/));
      expect(isAllowed(await decide(ledger, stepRequest({ tenant: 'other' })))).toBe(true);
    });

    test.each([
      ['run', 'another-run', /restarted, replaced or failed over/],
      ['layout', '0', /an older layout/],
      ['generation', '1', /older than the last rebuild/],
    ])('on a shard with an unexpected %s', async (field, value, why) => {
      const { ready, namespace } = scene();
      const ledger = await ready();
      const request = await allow(ledger, stepRequest());
      await own.redis.hset(`${namespace}:{${TENANT}}:meta`, field, value);
      await expect(ledger.step([request])).rejects.toEqual(unready(why));
      await expect(ledger.step([stepRequest()])).rejects.toEqual(unready(why));
      await expect(ledger.confirm('epoch-1', [request])).rejects.toMatchObject({
        code: field === 'generation' ? 'LEDGER_EPOCH_CHANGED' : 'LEDGER_UNAVAILABLE',
      });
    });

    test('on a registry that was written in another run of the server', async () => {
      const { ready, namespace } = scene();
      const ledger = await ready();
      await own.redis.hset(`${namespace}:{_registry}:registry`, 'runs', 'another-run');
      await expect(ledger.step([stepRequest()])).rejects.toEqual(unready(/restarted/));
      await expect(ledger.ping()).rejects.toEqual(unready(/restarted/));
    });

    test.each([
      ['ahead of', -65_000],
      ['behind', 65_000],
    ])("if the server's clock is a minute %s the client's", async (where, apartMs) => {
      const ledger = await createRedisLedger({ url: own.server.url, namespace: freshNamespace() });
      onTestFinished(() => ledger.close());
      await rebuildFrom(ledger, createState(REPLAY_MS), 'epoch-1');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + apartMs });
      onTestFinished(() => {
        vi.useRealTimers();
      });
      const differ = unready(new RegExp(`6\\d s ${where} the clock of this process`));
      await expect(ledger.step([stepRequest()])).rejects.toEqual(differ);
      await expect(ledger.ping()).rejects.toEqual(differ);
      await expect(ledger.beginRebuild({ epoch: 'epoch-2' })).rejects.toEqual(differ);
      await expect(ledger.kill(ONE, order('k'))).rejects.toEqual(differ);
      vi.useRealTimers();
      expect((await decide(ledger, stepRequest())).kill).toMatchObject({ reason: 'stop' });
      expect(await ledger.kill(ONE, order('k'))).toMatchObject({ revision: 1 });
    });

    test('by a server that could lose its data', async () => {
      const refused = (what: RegExp) =>
        expect.objectContaining({ code: 'LEDGER_UNAVAILABLE', message: expect.stringMatching(what) });
      const options = { url: own.server.url, namespace: freshNamespace() };
      onTestFinished(async () => {
        await own.redis.config('SET', 'maxmemory-policy', 'noeviction');
        await own.redis.config('SET', 'appendonly', 'yes');
      });
      await own.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      await expect(createRedisLedger(options)).rejects.toEqual(refused(/maxmemory-policy is allkeys-lru/));
      await own.redis.config('SET', 'maxmemory-policy', 'noeviction');
      await own.redis.config('SET', 'appendonly', 'no');
      await expect(createRedisLedger(options)).rejects.toEqual(refused(/append-only/));
      await (await createRedisLedger({ ...options, requireAppendOnly: false })).close();
    });
  });

  describe('opening a tenant', () => {
    test('is completed by the next client if the first client died halfway', async () => {
      const { ready, namespace } = scene();
      const ledger = await ready();
      await own.redis.hset(`${namespace}:{_registry}:tenants`, TENANT, 'opening');
      expect(isAllowed(await decide(ledger, stepRequest()))).toBe(true);
      expect(await own.redis.hget(`${namespace}:{_registry}:tenants`, TENANT)).toBe('open');
    });

    test('happens once, even if many clients ask at the same time', async () => {
      const { ready, connect } = scene();
      const ledgers = [await ready(), await connect(), await connect()];
      const facts = await Promise.all(
        ledgers.flatMap((ledger) => [1, 2, 3].map(() => decide(ledger, stepRequest()))),
      );
      expect(facts.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    test('respects an earlier kill of everything', async () => {
      const { ready } = scene();
      const ledger = await ready();
      await ledger.kill(ALL, order('k'));
      expect(isAllowed(await decide(ledger, stepRequest({ tenant: 'late' })))).toBe(false);
      expect(await ledger.killStatus('later', AGENT)).toMatchObject({ killed: { scope: 'all' } });
    });
  });

  describe('the clock', () => {
    test('belongs to the shard, and never runs backwards for any client', async () => {
      const { ready, connect, clock } = scene();
      const ledger = await ready();
      clock.advance(5_000);
      const { atMs } = await decide(ledger, stepRequest());
      const behind = await connect(manualClock(START_MS));
      expect((await decide(behind, stepRequest())).atMs).toBe(atMs);
      expect((await behind.adjust(adjustment)).atMs).toBe(atMs);
    });

    test("is the server's own clock if no other is given", async () => {
      const ledger = await createRedisLedger({ url: own.server.url, namespace: freshNamespace() });
      onTestFinished(() => ledger.close());
      await rebuildFrom(ledger, createState(REPLAY_MS), 'epoch-1');
      const fromMs = Date.now();
      const limits = [budget({ id: 'w', windowMs: 60_000 })];
      const { atMs } = await decide(ledger, stepRequest({ plan: planOf({ limits }) }));
      expect(atMs).toBeGreaterThanOrEqual(fromMs - 1);
      expect(atMs).toBeLessThanOrEqual(Date.now() + 1);
    });
  });

  const adjustment = {
    ...order('a'),
    tenant: TENANT,
    budget: { scope: 'agent', subject: AGENT, id: 'total', windowMs: null },
    delta: 1,
  } as const;
});
