/**
 * Tests that a rebuild restores lost data of Redis from the log. Only one rebuild runs at a time, and its generation
 * is higher than every earlier generation.
 */

import { manualClock } from '@mandate/runtime';
import type { KillTarget } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import { describeWithOwnServers, startRedis, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { allow, decide, isAllowed, send, spent } from '../contract/bench.ts';
import { AGENT, budget, confirmation, planOf, stepRequest, TENANT } from '../contract/builders.ts';
import { createMemoryLedger } from '../memory/memory-ledger.ts';
import { createState } from '../memory/state.ts';
import { LedgerNotReady } from '../not-ready.ts';
import { freshNamespace, rebuildFrom, START_MS } from './fresh-ledger.fixture.ts';
import { ALL, ONE, order, REPLAY_MS, sceneOn, stateOfLog, unready } from './losable-ledger.fixture.ts';
import { ownRedis } from './own-redis.fixture.ts';
import { createRedisLedger } from './redis-ledger.ts';

describeWithOwnServers(['redis'], 'a rebuild', () => {
  const own = ownRedis();
  const scene = () => sceneOn(own);

  test('replaces the state in Redis by the state of the log, and frees the old state', async () => {
    const { ready, keys } = scene();
    const ledger = await ready();
    const windowed = [budget({ id: 'w', windowMs: 60_000 })];
    const [kept, lost] = [stepRequest(), stepRequest({ plan: planOf({ limits: windowed }) })];
    const asking = stepRequest({ tenant: 'other', plan: planOf({ limits: [confirmation] }) });
    await ledger.step([kept, lost, stepRequest({ tenant: 'other' }), asking]);
    await ledger.step([stepRequest({ tenant: 'other', maxRemembered: 0 })]);
    const before = await keys();
    await rebuildFrom(ledger, await stateOfLog([kept]), 'epoch-2');
    expect(ledger.epoch).toBe('epoch-2');
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 100 });
    expect(await spent(ledger, 'other')).toEqual({});
    expect(await send(ledger, kept)).toEqual({ kind: 'published' });
    // Sequences continue after the highest used sequence. So no sequence is used twice, although the log has only one
    // record.
    expect(await decide(ledger, lost)).toMatchObject({ first: null, epoch: 'epoch-2', sequence: 3 });
    const old = before.filter((key) => /\}:\d+:/.test(key));
    expect(old.length).toBeGreaterThan(10);
    expect(old.map((key) => key.split(':').at(-1))).toEqual(expect.arrayContaining(['waiting', 'brief']));
    await waitUntil('the old generation to be given back', async () => {
      const left = await keys();
      return old.every((key) => !left.includes(key));
    });
  });

  test('logs no warning when a first start waits for the rebuild', async () => {
    const lines: string[] = [];
    const log = createLogger({ name: 'test', destination: { write: (line) => void lines.push(line) } });
    const ledger = await createRedisLedger({ url: own.server.url, namespace: freshNamespace(), log });
    onTestFinished(() => ledger.close());
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: 'info', msg: 'the ledger is not ready', reason: expect.any(String) }),
    ]);
  });

  test('gives all clients the replay memory of the log', async () => {
    const { ready, connect } = scene();
    const ledger = await ready();
    const other = await connect();
    expect([ledger.replayMemoryMs, other.replayMemoryMs]).toEqual([REPLAY_MS, REPLAY_MS]);
    await rebuildFrom(ledger, createState(60_000), 'epoch-2');
    await other.ping();
    expect([ledger, other, await connect()].map((each) => each.replayMemoryMs)).toEqual([
      60_000, 60_000, 60_000,
    ]);
  });

  test('is needed after a restart of the server, even if nothing was lost', async () => {
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

  test('stops all deciders while it runs, and they continue under the new epoch', async () => {
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

  test('runs alone until its lease ends, and then the slower rebuild cannot finish', async () => {
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

  test('is not started again by another client that noticed the same loss', async () => {
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
    // This is a new loss, so it needs another rebuild.
    await lose(`{${TENANT}}`);
    await rebuildFrom(second, createState(REPLAY_MS), 'epoch-3');
    expect((await decide(first, stepRequest())).epoch).toBe('epoch-3');
  });

  test('is not started for a loss that was noticed before another rebuild finished', async () => {
    const { ready, connect, lose } = scene();
    const ledger = await ready();
    const other = await connect();
    await lose('');
    const met = await other.step([stepRequest()]).catch((error: unknown) => error);
    if (!(met instanceof LedgerNotReady)) throw met;
    expect(met.lostEpoch).toBe('epoch-1');
    await rebuildFrom(ledger, createState(REPLAY_MS), 'epoch-2');
    await other.ping();
    expect(other.epoch).toBe('epoch-2');
    await expect(other.beginRebuild({ epoch: 'epoch-3', lostEpoch: met.lostEpoch })).rejects.toMatchObject({
      code: 'LEDGER_EPOCH_CHANGED',
    });
  });

  test('is requested only by errors of the class LedgerNotReady', async () => {
    const { ready, namespace, connect } = scene();
    const ledger = await ready();
    await own.redis.hset(`${namespace}:{_registry}:registry`, 'layout', '0');
    expect(await (await connect()).ping().catch((error: unknown) => error)).toBeInstanceOf(LedgerNotReady);
    await ledger.close();
    expect(await ledger.ping().catch((error: unknown) => error)).not.toBeInstanceOf(LedgerNotReady);
  });

  test('is not started for a ledger that newer programs have taken over', async () => {
    const { ready, namespace, clock } = scene();
    const registry = `${namespace}:{_registry}:registry`;
    const ledger = await ready();
    await ledger.step([stepRequest()]);
    await own.redis.hset(registry, 'layout', '999');
    await own.redis.hset(`${namespace}:{${TENANT}}:meta`, 'layout', '999');
    const before = await own.redis.hgetall(registry);
    const newer = expect.objectContaining({ code: 'LEDGER_NEWER', message: expect.stringMatching(/999/) });
    // No rebuild starts, even after the lease ends, because only a newer program may rebuild this ledger.
    for (const state of ['ready', 'rebuilding']) {
      await own.redis.hset(registry, 'state', state);
      clock.advance(120_000);
      await expect(ledger.beginRebuild({ epoch: 'epoch-2' })).rejects.toEqual(newer);
      await expect(ledger.ping()).rejects.toEqual(newer);
      await expect(ledger.step([stepRequest()])).rejects.toEqual(newer);
    }
    expect({ ...(await own.redis.hgetall(registry)), state: 'ready' }).toEqual(before);
    // A kill is still carried out, even if a newer program owns the ledger.
    await expect(ledger.kill(ONE, order('k'))).rejects.toEqual(newer);
    expect(await own.redis.hexists(`${namespace}:{${TENANT}}:flags`, `${TENANT}/${AGENT}`)).toBe(1);
  });

  test('does not load data into a shard that a newer rebuild has taken over', async () => {
    const { ready, namespace, keys } = scene();
    const ledger = await ready();
    await ledger.step([stepRequest()]);
    const rebuild = await ledger.beginRebuild({ epoch: 'epoch-2' });
    await own.redis.hset(`${namespace}:{${TENANT}}:meta`, 'generation', '9000000000000');
    const before = await keys();
    await expect(rebuild.load(await stateOfLog([stepRequest()]))).rejects.toEqual(unready(/overtaken/));
    expect((await keys()).sort()).toEqual(before.sort());
  });

  test('resets a shard that neither the registry nor the log knows, after a loss of the registry', async () => {
    const { ready, connect, lose, clock } = scene();
    const decider = await ready();
    const request = await allow(decider, stepRequest());
    await lose('{_registry}');
    // The shard does not know of the loss, so it still decides. But the decision cannot be committed.
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
  ])(
    'uses a higher generation than the shards after a loss of the registry, even with a clock %s',
    async (_, atMs) => {
      const { ready, connect, lose } = scene();
      const decider = await ready();
      const request = await allow(decider, stepRequest());
      await lose('{_registry}');
      const ledger = await connect(manualClock(atMs));
      const state = await stateOfLog([request]);
      const rebuild = await ledger.beginRebuild({ epoch: 'epoch-2' });
      await expect(rebuild.load(state)).rejects.toEqual(unready(/overtaken/));
      const again = { epoch: 'epoch-3', ownEpoch: 'epoch-2' };
      await expect(ledger.beginRebuild({ ...again, ownEpoch: 'epoch-1' })).rejects.toEqual(
        unready(/Another rebuild/),
      );
      const second = await ledger.beginRebuild(again);
      await second.load(state);
      await second.finish();
      expect(ledger.generation).toBe(second.generation);
      expect(second.generation).toBeGreaterThan(decider.generation);
      expect(await send(ledger, request)).toEqual({ kind: 'published' });
      expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 100 });
    },
  );

  test('uses a generation above the highest that its caller has read on the log', async () => {
    const { ready } = scene();
    const ledger = await ready();
    const highestOnLog = 2 ** 52;
    expect((await ledger.beginRebuild({ epoch: 'epoch-2', highestOnLog })).generation).toBe(highestOnLog + 1);
  });

  test('copies to the shards a kill of everything that arrives before the rebuild ends', async () => {
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

  test('does not finish on a server that was replaced during the load', async () => {
    const { ready, namespace } = scene();
    const ledger = await ready();
    await ledger.step([stepRequest()]);
    const rebuild = await ledger.beginRebuild({ epoch: 'epoch-2' });
    await own.redis.hset(`${namespace}:{${TENANT}}:meta`, 'run', 'another-run');
    await expect(rebuild.finish()).rejects.toEqual(unready(/replaced under it/));
  });

  test('merges kill flags of Redis and the log, and the newer flag wins', async () => {
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
    for (const target of [ONE, ALL]) expect(await ledger.flag(target)).toMatchObject({ revision: 3 });
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
