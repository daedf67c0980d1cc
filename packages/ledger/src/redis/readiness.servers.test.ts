/** What Redis holds is believed only where nothing can have been lost; a rebuild brings the rest back. */
import { manualClock } from '@mandate/runtime';
import type { KillTarget } from '@mandate/schemas';
import { describeWithOwnServers, startRedis, waitUntil } from '@mandate/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { allow, decide, isAllowed, send, spent } from '../contract/bench.ts';
import { AGENT, budget, planOf, settleRequest, stepRequest, TENANT } from '../contract/builders.ts';
import { createMemoryLedger } from '../memory/memory-ledger.ts';
import { createState, type LedgerState } from '../memory/state.ts';
import { LedgerNotReady } from '../not-ready.ts';
import { freshNamespace, rebuildFrom } from './fresh-ledger.fixture.ts';
import { createRedisLedger, type RedisLedger } from './redis-ledger.ts';

describeWithOwnServers(['redis'], 'readiness', () => {
  let server: Awaited<ReturnType<typeof startRedis>>;
  let redis: Redis;
  beforeAll(async () => {
    server = await startRedis({ appendonly: true, config: { appendfsync: 'everysec' } });
    redis = new Redis(server.url);
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  const REPLAY_MS = 86_400_000;
  const START_MS = 1_000;
  const ONE: KillTarget = { scope: 'agent', tenant: TENANT, agentId: AGENT };
  const ALL: KillTarget = { scope: 'all' };
  const order = (id: string, reason = 'stop') => ({ id, by: 'op', reason });
  const unready = (why: RegExp) =>
    expect.objectContaining({
      code: 'LEDGER_UNAVAILABLE',
      retryable: true,
      message: expect.stringMatching(why),
    });

  function scene() {
    const namespace = freshNamespace();
    const clock = manualClock(START_MS);
    const connect = async (own = clock): Promise<RedisLedger> => {
      const ledger = await createRedisLedger({ url: server.url, namespace, clock: own });
      onTestFinished(() => ledger.close());
      return ledger;
    };
    const ready = async (): Promise<RedisLedger> => {
      const ledger = await connect();
      await rebuildFrom(ledger, createState(REPLAY_MS), 'epoch-1');
      return ledger;
    };
    const keys = () => redis.keys(`${namespace}:*`);
    const lose = async (pattern: string) => {
      const lost = (await keys()).filter((key) => key.includes(pattern));
      expect(lost.length).toBeGreaterThan(0);
      await redis.del(lost);
    };
    return { namespace, clock, connect, ready, keys, lose };
  }

  /** As a fold has it: everything published. */
  async function stateOfLog(requests: readonly ReturnType<typeof stepRequest>[]): Promise<LedgerState> {
    const state = createState(REPLAY_MS);
    const memory = createMemoryLedger({ clock: () => START_MS, epoch: 'epoch-1', state });
    await memory.step(requests);
    await memory.confirm('epoch-1', requests);
    return state;
  }

  describe('nothing is decided', () => {
    test('where no ledger was ever built', async () => {
      const ledger = await scene().connect();
      expect(ledger.epoch).toBe('');
      await expect(ledger.step([stepRequest()])).rejects.toEqual(unready(/new, or was emptied/));
      await expect(ledger.ping()).rejects.toEqual(unready(/new, or was emptied/));
      await expect(ledger.killStatus(TENANT, AGENT)).rejects.toEqual(unready(/new, or was emptied/));
    });

    test('where everything was lost, whoever asks', async () => {
      const { ready, connect, lose } = scene();
      const ledger = await ready();
      const request = await allow(ledger, stepRequest());
      await lose('');
      await expect(ledger.step([request])).rejects.toEqual(unready(/emptied/));
      await expect(ledger.confirm('epoch-1', [request])).rejects.toEqual(unready(/emptied/));
      await expect((await connect()).step([request])).rejects.toEqual(unready(/emptied/));
    });

    test('where a tenant was lost that the registry knows: it is no new one', async () => {
      const { ready, lose } = scene();
      const ledger = await ready();
      const request = await allow(ledger, stepRequest());
      await lose(`{${TENANT}}`);
      await expect(ledger.step([request])).rejects.toEqual(unready(/gone from Redis/));
      await expect(ledger.confirm('epoch-1', [request])).rejects.toEqual(unready(/gone from Redis/));
      await expect(ledger.balances(TENANT)).rejects.toEqual(unready(/gone from Redis/));
      expect(isAllowed(await decide(ledger, stepRequest({ tenant: 'other' })))).toBe(true);
    });

    test.each([
      ['run', 'another-run', /restarted, replaced or failed over/],
      ['layout', '0', /an older layout/],
      ['generation', '1', /older than the last rebuild/],
    ])('on a shard whose %s is not what was left there', async (field, value, why) => {
      const { ready, namespace } = scene();
      const ledger = await ready();
      const request = await allow(ledger, stepRequest());
      await redis.hset(`${namespace}:{${TENANT}}:meta`, field, value);
      await expect(ledger.step([request])).rejects.toEqual(unready(why));
      await expect(ledger.step([stepRequest()])).rejects.toEqual(unready(why));
      await expect(ledger.confirm('epoch-1', [request])).rejects.toMatchObject({
        code: field === 'generation' ? 'LEDGER_EPOCH_CHANGED' : 'LEDGER_UNAVAILABLE',
      });
    });

    test('on a registry whose server is not the one of the last rebuild', async () => {
      const { ready, namespace } = scene();
      const ledger = await ready();
      await redis.hset(`${namespace}:{_registry}:registry`, 'runs', 'another-run');
      await expect(ledger.step([stepRequest()])).rejects.toEqual(unready(/restarted/));
      await expect(ledger.ping()).rejects.toEqual(unready(/restarted/));
    });

    test.each([
      ['ahead of', -61_000],
      ['behind', 61_000],
    ])('by a clock that is a minute %s the own one', async (where, apartMs) => {
      const ledger = await createRedisLedger({ url: server.url, namespace: freshNamespace() });
      onTestFinished(() => ledger.close());
      await rebuildFrom(ledger, createState(REPLAY_MS), 'epoch-1');
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + apartMs });
      onTestFinished(() => {
        vi.useRealTimers();
      });
      const differ = unready(new RegExp(`6[01] s ${where} the clock of this process`));
      await expect(ledger.step([stepRequest()])).rejects.toEqual(differ);
      await expect(ledger.ping()).rejects.toEqual(differ);
      await expect(ledger.beginRebuild({ epoch: 'epoch-2' })).rejects.toEqual(differ);
      await expect(ledger.kill(ONE, order('k'))).rejects.toEqual(differ);
      vi.useRealTimers();
      expect((await decide(ledger, stepRequest())).kill).toMatchObject({ reason: 'stop' });
      expect(await ledger.kill(ONE, order('k'))).toMatchObject({ revision: 1 });
    });

    test('by a server that would forget', async () => {
      const refused = (what: RegExp) =>
        expect.objectContaining({ code: 'LEDGER_UNAVAILABLE', message: expect.stringMatching(what) });
      const options = { url: server.url, namespace: freshNamespace() };
      onTestFinished(async () => {
        await redis.config('SET', 'maxmemory-policy', 'noeviction');
        await redis.config('SET', 'appendonly', 'yes');
      });
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
      await expect(createRedisLedger(options)).rejects.toEqual(refused(/maxmemory-policy is allkeys-lru/));
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
      await redis.config('SET', 'appendonly', 'no');
      await expect(createRedisLedger(options)).rejects.toEqual(refused(/append-only/));
      await (await createRedisLedger({ ...options, requireAppendOnly: false })).close();
    });
  });

  describe('a tenant that opens', () => {
    test('and whose opener died half way is opened by the next', async () => {
      const { ready, namespace } = scene();
      const ledger = await ready();
      await redis.hset(`${namespace}:{_registry}:tenants`, TENANT, 'opening');
      expect(isAllowed(await decide(ledger, stepRequest()))).toBe(true);
      expect(await redis.hget(`${namespace}:{_registry}:tenants`, TENANT)).toBe('open');
    });

    test('does so once, however many ask at the same time', async () => {
      const { ready, connect } = scene();
      const ledgers = [await ready(), await connect(), await connect()];
      const facts = await Promise.all(
        ledgers.flatMap((ledger) => [1, 2, 3].map(() => decide(ledger, stepRequest()))),
      );
      expect(facts.map(({ sequence }) => sequence).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    test('is stopped by a kill of everything that came before it', async () => {
      const { ready } = scene();
      const ledger = await ready();
      await ledger.kill(ALL, order('k'));
      expect(isAllowed(await decide(ledger, stepRequest({ tenant: 'late' })))).toBe(false);
      expect(await ledger.killStatus('later', AGENT)).toMatchObject({ killed: { scope: 'all' } });
    });
  });

  describe('a rebuild', () => {
    test('puts what the log holds in the place of what Redis held, and gives that back', async () => {
      const { ready, keys } = scene();
      const ledger = await ready();
      const windowed = [budget({ id: 'w', windowMs: 60_000 })];
      const [kept, lost] = [stepRequest(), stepRequest({ plan: planOf({ limits: windowed }) })];
      await ledger.step([kept, lost, stepRequest({ tenant: 'other' })]);
      const before = await keys();
      await rebuildFrom(ledger, await stateOfLog([kept]), 'epoch-2');
      expect(ledger.epoch).toBe('epoch-2');
      expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 100 });
      expect(await spent(ledger, 'other')).toEqual({});
      expect(await send(ledger, kept)).toEqual({ kind: 'published' });
      // Sequences go on: none is given twice, though the log knows of one only.
      expect(await decide(ledger, lost)).toMatchObject({ first: null, epoch: 'epoch-2', sequence: 3 });
      const old = before.filter((key) => /\}:\d+:/.test(key));
      expect(old.length).toBeGreaterThan(10);
      await waitUntil('the old generation to be given back', async () => {
        const left = await keys();
        return old.every((key) => !left.includes(key));
      });
    });

    test('comes behind a restart of the server, which is noticed although nothing was lost', async () => {
      const own = await startRedis({ appendonly: true });
      onTestFinished(() => own.stop());
      const options = { url: own.url, namespace: freshNamespace() };
      const ledger = await createRedisLedger(options);
      onTestFinished(() => ledger.close());
      await rebuildFrom(ledger, createState(REPLAY_MS), 'epoch-1');
      const request = await allow(ledger, stepRequest());
      await ledger.kill({ scope: 'tenant', tenant: 'other' }, order('k'));
      await own.restart();
      const refused = await waitUntil('the client to be connected again', async () => {
        const error: unknown = await ledger.step([request]).catch((error: unknown) => error);
        return error instanceof Error && /restarted/.test(error.message) && error;
      });
      expect(refused).toEqual(unready(/restarted/));
      await rebuildFrom(ledger, await stateOfLog([request]), 'epoch-2');
      expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 100 });
      expect(await ledger.killStatus('other', AGENT)).toMatchObject({ killed: { reason: 'stop' } });
    });

    test('stops those who decide meanwhile, and they go on under the new epoch', async () => {
      const { ready, connect } = scene();
      const ledger = await ready();
      const decider = await connect();
      const request = await allow(decider, stepRequest());
      const rebuild = await ledger.beginRebuild({ epoch: 'epoch-2' });
      for (const each of [ledger, decider, await connect()]) {
        await expect(each.step([request])).rejects.toEqual(unready(/being rebuilt/));
        await expect(each.step([stepRequest({ tenant: 'new' })])).rejects.toEqual(unready(/being rebuilt/));
      }
      await expect(decider.confirm('epoch-1', [request])).rejects.toEqual(unready(/being rebuilt/));
      await rebuild.load(createState(REPLAY_MS));
      await rebuild.finish();
      expect(decider.epoch).toBe('epoch-1');
      const changed = expect.objectContaining({ code: 'LEDGER_EPOCH_CHANGED' });
      await expect(decider.confirm('epoch-1', [request])).rejects.toEqual(changed);
      await expect(decider.confirm('epoch-1', [])).rejects.toEqual(changed);
      expect(await decide(decider, request)).toMatchObject({ epoch: 'epoch-2', cumulativeMicros: 100 });
      expect(decider.epoch).toBe('epoch-2');
      await decider.confirm('epoch-2', [request]);
    });

    test('is one at a time, until its lease has run out; then the slower one cannot finish', async () => {
      const { ready, connect, clock } = scene();
      const ledger = await ready();
      await ledger.step([stepRequest()]);
      const slow = await ledger.beginRebuild({ epoch: 'slow' });
      const other = await connect();
      await expect(other.beginRebuild({ epoch: 'quick' })).rejects.toEqual(unready(/Another rebuild/));
      clock.advance(59_999);
      await slow.renew();
      clock.advance(59_999);
      await expect(other.beginRebuild({ epoch: 'quick' })).rejects.toEqual(unready(/Another rebuild/));
      clock.advance(1);
      const quick = await other.beginRebuild({ epoch: 'quick' });
      for (const late of [() => slow.renew(), () => slow.load(createState(REPLAY_MS)), () => slow.finish()]) {
        await expect(late()).rejects.toEqual(unready(/overtaken/));
      }
      await quick.load(createState(REPLAY_MS));
      await quick.finish();
      expect((await decide(ledger, stepRequest())).epoch).toBe('quick');
    });

    test('is not begun again by who noticed the loss as well, once another has finished', async () => {
      const { ready, connect, lose } = scene();
      const [first, second] = [await ready(), await connect()];
      const request = await allow(first, stepRequest());
      await lose('');
      for (const each of [first, second])
        await expect(each.step([request])).rejects.toEqual(unready(/emptied/));
      await rebuildFrom(first, createState(REPLAY_MS), 'epoch-2');
      await expect(second.beginRebuild({ epoch: 'epoch-3' })).rejects.toMatchObject({
        code: 'LEDGER_EPOCH_CHANGED',
      });
      expect(second.epoch).toBe('epoch-2');
      expect((await decide(second, stepRequest())).epoch).toBe('epoch-2');
      // What is lost now is another loss.
      await lose(`{${TENANT}}`);
      await rebuildFrom(second, createState(REPLAY_MS), 'epoch-3');
      expect((await decide(first, stepRequest())).epoch).toBe('epoch-3');
    });

    test('is not begun for what was found wanting before another has finished', async () => {
      const { ready, connect, lose } = scene();
      const ledger = await ready();
      const other = await connect();
      await lose('');
      const met = await other.step([stepRequest()]).catch((error: unknown) => error);
      if (!(met instanceof LedgerNotReady)) throw met;
      expect(met.wanting).toBe('epoch-1');
      await rebuildFrom(ledger, createState(REPLAY_MS), 'epoch-2');
      await other.ping();
      expect(other.epoch).toBe('epoch-2');
      await expect(other.beginRebuild({ epoch: 'epoch-3', wanting: met.wanting })).rejects.toMatchObject({
        code: 'LEDGER_EPOCH_CHANGED',
      });
    });

    test('is told from other failures by the error itself', async () => {
      const { ready, namespace, connect } = scene();
      const ledger = await ready();
      await redis.hset(`${namespace}:{_registry}:registry`, 'layout', '0');
      expect(await (await connect()).ping().catch((error: unknown) => error)).toBeInstanceOf(LedgerNotReady);
      await ledger.close();
      expect(await ledger.ping().catch((error: unknown) => error)).not.toBeInstanceOf(LedgerNotReady);
    });

    test('of a ledger that newer programs have taken over is not begun: it stays theirs', async () => {
      const { ready, namespace, clock } = scene();
      const registry = `${namespace}:{_registry}:registry`;
      const ledger = await ready();
      await ledger.step([stepRequest()]);
      await redis.hset(registry, 'layout', '999');
      await redis.hset(`${namespace}:{${TENANT}}:meta`, 'layout', '999');
      const before = await redis.hgetall(registry);
      const newer = expect.objectContaining({ code: 'LEDGER_NEWER', message: expect.stringMatching(/999/) });
      // Its lease run out, too: whoever rebuilds next is one of them.
      for (const state of ['ready', 'rebuilding']) {
        await redis.hset(registry, 'state', state);
        clock.advance(120_000);
        await expect(ledger.beginRebuild({ epoch: 'epoch-2' })).rejects.toEqual(newer);
        await expect(ledger.ping()).rejects.toEqual(newer);
        await expect(ledger.step([stepRequest()])).rejects.toEqual(newer);
      }
      expect({ ...(await redis.hgetall(registry)), state: 'ready' }).toEqual(before);
      // A kill is carried out all the same, on whatever stands there.
      await expect(ledger.kill(ONE, order('k'))).rejects.toEqual(newer);
      expect(await redis.hexists(`${namespace}:{${TENANT}}:flags`, `${TENANT}/${AGENT}`)).toBe(1);
    });

    test('does not load onto a shard that a newer one has taken over', async () => {
      const { ready, namespace, keys } = scene();
      const ledger = await ready();
      await ledger.step([stepRequest()]);
      const rebuild = await ledger.beginRebuild({ epoch: 'epoch-2' });
      await redis.hset(`${namespace}:{${TENANT}}:meta`, 'generation', '9000000000000');
      const before = await keys();
      await expect(rebuild.load(await stateOfLog([stepRequest()]))).rejects.toEqual(unready(/overtaken/));
      expect((await keys()).sort()).toEqual(before.sort());
    });

    test('behind the loss of the registry alone: a shard that nobody remembers begins anew', async () => {
      const { ready, connect, lose, clock } = scene();
      const decider = await ready();
      const request = await allow(decider, stepRequest());
      await lose('{_registry}');
      // Still decided, on a shard that knows of nothing; but it cannot be committed.
      await allow(decider, stepRequest());
      await expect(decider.confirm('epoch-1', [request])).rejects.toEqual(unready(/emptied/));
      clock.advance(1);
      await rebuildFrom(await connect(), createState(REPLAY_MS), 'epoch-2');
      await expect(decider.confirm('epoch-1', [request])).rejects.toMatchObject({
        code: 'LEDGER_EPOCH_CHANGED',
      });
      expect(await decide(decider, request)).toMatchObject({ epoch: 'epoch-2', cumulativeMicros: 100 });
    });

    test.each([
      ['that is behind', 1],
      ['that stands still', START_MS],
    ])('behind the loss of the registry, by a clock %s, begins above what a shard has', async (_, atMs) => {
      const { ready, connect, lose } = scene();
      const decider = await ready();
      const request = await allow(decider, stepRequest());
      await lose('{_registry}');
      const ledger = await connect(manualClock(atMs));
      const state = await stateOfLog([request]);
      const rebuild = await ledger.beginRebuild({ epoch: 'epoch-2' });
      await expect(rebuild.load(state)).rejects.toEqual(unready(/overtaken/));
      const again = { epoch: 'epoch-3', insteadOf: 'epoch-2' };
      await expect(ledger.beginRebuild({ ...again, insteadOf: 'epoch-1' })).rejects.toEqual(
        unready(/Another rebuild/),
      );
      const second = await ledger.beginRebuild(again);
      await second.load(state);
      await second.finish();
      expect(ledger.generation).toBe(second.generation);
      expect(second.generation).toBeGreaterThan(decider.generation);
      expect(await send(ledger, request)).toEqual({ kind: 'published' });
      expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 100 });
    });

    test('begins above what its caller has read on the log', async () => {
      const { ready } = scene();
      const ledger = await ready();
      const above = 2 ** 52;
      expect((await ledger.beginRebuild({ epoch: 'epoch-2', above })).generation).toBe(above + 1);
    });

    test('carries a kill of everything that comes before it ends', async () => {
      const { ready } = scene();
      const ledger = await ready();
      await ledger.step([stepRequest()]);
      const rebuild = await ledger.beginRebuild({ epoch: 'epoch-2' });
      await rebuild.load(createState(REPLAY_MS));
      await expect(ledger.kill(ALL, order('k'))).rejects.toEqual(unready(/being rebuilt/));
      await rebuild.finish();
      expect((await decide(ledger, stepRequest())).kill).toMatchObject({ scope: 'all', revision: 1 });
      expect((await decide(ledger, stepRequest({ tenant: 'new' }))).kill).toMatchObject({ scope: 'all' });
    });

    test('does not finish on a server that was replaced while it loaded', async () => {
      const { ready, namespace } = scene();
      const ledger = await ready();
      await ledger.step([stepRequest()]);
      const rebuild = await ledger.beginRebuild({ epoch: 'epoch-2' });
      await redis.hset(`${namespace}:{${TENANT}}:meta`, 'run', 'another-run');
      await expect(rebuild.finish()).rejects.toEqual(unready(/replaced under it/));
    });

    test('merges kill flags: of a flag in Redis and one on the log the newer stands', async () => {
      const { ready } = scene();
      const ledger = await ready();
      for (const target of [ONE, ALL]) {
        await ledger.kill(target, order('k1'));
        await ledger.revive(target, 2, 'r1');
        await ledger.kill(target, order('k2', 'in Redis'));
      }
      const state = createState(REPLAY_MS);
      const memory = createMemoryLedger({ clock: () => START_MS, epoch: 'epoch-1', state });
      const other: KillTarget = { scope: 'agent', tenant: TENANT, agentId: 'on-the-log' };
      for (const target of [ONE, ALL, other]) await memory.kill(target, order('k1', 'on the log'));
      for (const target of [ONE, ALL]) await memory.revive(target, 2, 'r1');
      await rebuildFrom(ledger, state, 'epoch-2');
      for (const target of [ONE, ALL]) expect(await ledger.revision(target)).toBe(3);
      expect((await ledger.killed(TENANT)).map(({ reason }) => reason).sort()).toEqual([
        'in Redis',
        'in Redis',
        'on the log',
      ]);
      expect((await decide(ledger, stepRequest())).kill).toMatchObject({ scope: 'all', revision: 3 });
      const cleared = createMemoryLedger({ clock: () => START_MS, epoch: 'epoch-2', state });
      for (const target of [ONE, ALL, other]) await cleared.revive(target, 9, 'r9');
      await rebuildFrom(ledger, state, 'epoch-3');
      expect(await ledger.killed(TENANT)).toEqual([]);
      expect(isAllowed(await decide(ledger, stepRequest()))).toBe(true);
    });
  });

  describe('kill', () => {
    test.each([
      ['an agent', ONE],
      ['everything', ALL],
    ])(
      'of %s holds though the ledger is not ready, and is completed by the same command',
      async (_, target) => {
        const { connect } = scene();
        const ledger = await connect();
        await expect(ledger.kill(target, order('k'))).rejects.toEqual(unready(/emptied/));
        const state = await stateOfLog([stepRequest()]);
        const memory = createMemoryLedger({ clock: () => START_MS, epoch: 'epoch-1', state });
        await memory.kill(target, order('older'));
        await memory.revive(target, 7, 'r');
        await rebuildFrom(ledger, state, 'epoch-2');
        // Of a higher revision than the log's, whatever that is.
        expect((await decide(ledger, stepRequest())).kill).toMatchObject({ revision: 8, reason: 'stop' });
        const receipt = await ledger.kill(target, order('k'));
        expect(receipt.revision).toBe(8);
        expect(receipt.sequences[TENANT]).toBeGreaterThan(0);
        expect(await ledger.kill(target, order('k'))).toEqual(receipt);
        expect(await ledger.revive(target, 9, 'r2')).toBe(true);
        expect(isAllowed(await decide(ledger, stepRequest()))).toBe(true);
      },
    );

    test('of everything names the tenants that did not acknowledge, and goes on with those', async () => {
      const { ready, namespace } = scene();
      const ledger = await ready();
      const running = await allow(ledger, stepRequest());
      await allow(ledger, stepRequest({ tenant: 'away' }));
      const away = `${namespace}:{away}:meta`;
      await redis.hset(away, 'state', 'rebuilding');
      await expect(ledger.kill(ALL, order('k'))).rejects.toEqual(unready(/1 of 2 tenants.*: away\./));
      expect((await decide(ledger, stepRequest())).kill).toMatchObject({ scope: 'all', revision: 1 });
      expect((await decide(ledger, stepRequest({ tenant: 'new' }))).kill).toMatchObject({ revision: 1 });
      await redis.hset(away, 'state', 'ready');
      // The flag was set all the same.
      expect((await decide(ledger, stepRequest({ tenant: 'away' }))).kill).toMatchObject({ revision: 1 });
      await ledger.step([settleRequest(running)]);
      const receipt = await ledger.kill(ALL, order('k'));
      expect(receipt).toMatchObject({ revision: 1, sequences: { [TENANT]: 2, away: 3 } });
      // As it was when that shard acknowledged, though its outcome has come since.
      expect(receipt.open.map(({ tenant }) => tenant)).toEqual([TENANT, 'away']);
    });

    test('of everything is told from the registry, before any shard has it', async () => {
      const { ready, lose } = scene();
      const ledger = await ready();
      await ledger.step([stepRequest()]);
      await ledger.kill(ALL, order('k'));
      await lose(`{${TENANT}}:flags`);
      expect(await ledger.killStatus(TENANT, AGENT)).toMatchObject({ killed: { scope: 'all', revision: 1 } });
      expect(await ledger.killed(TENANT)).toMatchObject([{ scope: 'all' }]);
    });

    test('of everything again, after a revive that it did not see, is another kill', async () => {
      const { ready, namespace } = scene();
      const ledger = await ready();
      await allow(ledger, stepRequest());
      await allow(ledger, stepRequest({ tenant: 'away' }));
      await redis.hset(`${namespace}:{away}:meta`, 'state', 'rebuilding');
      await expect(ledger.kill(ALL, order('k'))).rejects.toEqual(unready(/away/));
      await ledger.revive(ALL, 2, 'r');
      await redis.hset(`${namespace}:{away}:meta`, 'state', 'ready');
      expect(isAllowed(await decide(ledger, stepRequest({ tenant: 'away' })))).toBe(true);
      expect((await ledger.kill(ALL, order('k'))).revision).toBe(3);
      for (const tenant of [TENANT, 'away']) {
        expect((await decide(ledger, stepRequest({ tenant }))).kill).toMatchObject({ revision: 3 });
      }
    });

    test('a revive of everything that did not reach every shard is carried on when it is asked after', async () => {
      const { ready, namespace } = scene();
      const ledger = await ready();
      await ledger.step([stepRequest(), stepRequest({ tenant: 'away' })]);
      await ledger.kill(ALL, order('k'));
      // Written to by something else: what a shard that cannot be reached looks like to one client.
      const flags = `${namespace}:{away}:flags`;
      const kept = await redis.hgetallBuffer(flags);
      await redis.del(flags);
      await redis.set(flags, 'broken');
      await expect(ledger.revive(ALL, 2, 'r')).rejects.toEqual(unready(/away/));
      await redis.del(flags);
      await redis.hset(flags, kept);
      expect((await decide(ledger, stepRequest({ tenant: 'away' }))).kill).toMatchObject({ revision: 1 });
      expect(await ledger.revived(ALL, 'r')).toBe(true);
      expect(isAllowed(await decide(ledger, stepRequest({ tenant: 'away' })))).toBe(true);
      await ledger.kill(ALL, order('k2'));
      expect(await ledger.revive(ALL, 2, 'r')).toBe(false);
    });
  });

  describe('the clock', () => {
    test('is that of the shard: it never runs backwards, whoever asks', async () => {
      const { ready, connect, clock } = scene();
      const ledger = await ready();
      clock.advance(5_000);
      const { atMs } = await decide(ledger, stepRequest());
      const behind = await connect(manualClock(START_MS));
      expect((await decide(behind, stepRequest())).atMs).toBe(atMs);
      expect((await behind.adjust(adjustment)).atMs).toBe(atMs);
    });

    test("is the server's own where no other is given", async () => {
      const ledger = await createRedisLedger({ url: server.url, namespace: freshNamespace() });
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
    deltaMicros: 1,
  } as const;
});
