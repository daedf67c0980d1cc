/** Tests a kill while a part of the ledger is lost or cannot be reached. */
import { describeWithOwnServers } from '@mandate/testing';
import { expect, test } from 'vitest';
import { allow, decide, isAllowed } from '../contract/bench.ts';
import { AGENT, planOf, settleRequest, stepRequest, TENANT } from '../contract/builders.ts';
import { createMemoryLedger } from '../memory/memory-ledger.ts';
import { rebuildFrom, START_MS } from './fresh-ledger.fixture.ts';
import { ALL, ONE, order, sceneOn, stateOfLog, unready } from './losable-ledger.fixture.ts';
import { ownRedis } from './own-redis.fixture.ts';

describeWithOwnServers(['redis'], 'kill', () => {
  const own = ownRedis();
  const scene = () => sceneOn(own);

  test.each([
    ['an agent', ONE],
    ['everything', ALL],
  ])(
    'of %s is in force even if the ledger is not ready, and the repeated command completes the kill',
    async (_, target) => {
      const { connect } = scene();
      const ledger = await connect();
      await expect(ledger.kill(target, order('k'))).rejects.toEqual(unready(/emptied/));
      const state = await stateOfLog([stepRequest()]);
      const memory = createMemoryLedger({ clock: () => START_MS, epoch: 'epoch-1', state });
      await memory.kill(target, order('older'));
      await memory.revive(target, 7, 'r');
      await rebuildFrom(ledger, state, 'epoch-2');
      // The revision must be higher than every revision on the log.
      expect((await decide(ledger, stepRequest())).kill).toMatchObject({ revision: 8, reason: 'stop' });
      const receipt = await ledger.kill(target, order('k'));
      expect(receipt.revision).toBe(8);
      expect(receipt.sequences[TENANT]).toBeGreaterThan(0);
      expect(await ledger.kill(target, order('k'))).toEqual(receipt);
      expect(await ledger.revive(target, 9, 'r2')).toBe(true);
      expect(isAllowed(await decide(ledger, stepRequest()))).toBe(true);
    },
  );

  test.each([
    ['an agent', 'at once', ONE],
    ['an agent', 'after another kill', ONE],
    ['everything', 'at once', ALL],
    ['everything', 'after another kill', ALL],
  ])('of %s that was not acknowledged is cleared by a revive, %s', async (_, when, target) => {
    const ledger = await scene().connect();
    await expect(ledger.kill(target, order('k'))).rejects.toEqual(unready(/emptied/));
    await rebuildFrom(ledger, await stateOfLog([stepRequest()]), 'epoch-2');
    if (when === 'after another kill') await ledger.kill(target, order('another'));
    const { killed, revision } = await ledger.flag(target);
    expect(killed).toBe(true);
    expect(await ledger.revive(target, revision, 'of an older flag')).toBe(false);
    expect(await ledger.revive(target, revision + 1, 'r')).toBe(true);
    expect(isAllowed(await decide(ledger, stepRequest()))).toBe(true);
  });

  test('of everything names the tenants that did not acknowledge, and a repeat continues with these tenants', async () => {
    const { ready, namespace } = scene();
    const ledger = await ready();
    const running = await allow(ledger, stepRequest());
    await allow(ledger, stepRequest({ tenant: 'away' }));
    const away = `${namespace}:{away}:meta`;
    await own.redis.hset(away, 'state', 'rebuilding');
    await expect(ledger.kill(ALL, order('k'))).rejects.toEqual(unready(/1 of 2 tenants.*: away\./));
    expect((await decide(ledger, stepRequest())).kill).toMatchObject({ scope: 'all', revision: 1 });
    expect((await decide(ledger, stepRequest({ tenant: 'new' }))).kill).toMatchObject({ revision: 1 });
    await own.redis.hset(away, 'state', 'ready');
    // The flag was set on that shard, although the shard did not acknowledge it.
    expect((await decide(ledger, stepRequest({ tenant: 'away' }))).kill).toMatchObject({ revision: 1 });
    await ledger.step([settleRequest(running)]);
    const receipt = await ledger.kill(ALL, order('k'));
    expect(receipt).toMatchObject({ revision: 1, sequences: { [TENANT]: 2, away: 3 } });
    // The list of a shard is from the time when the shard acknowledged the kill, even if an outcome came later.
    expect(receipt.open.map(({ tenant }) => tenant)).toEqual([TENANT, 'away']);
  });

  test('lists many open actions in pages, and stores the list', async () => {
    const { ready, connect, clock } = scene();
    const ledger = await ready();
    const short = planOf({ leaseMs: 10 });
    const batches = Array.from({ length: 12 }, () => Array.from({ length: 200 }, () => stepRequest()));
    for (const batch of batches) await ledger.step(batch);
    const late = await allow(ledger, stepRequest({ plan: short }));
    const other = await allow(ledger, stepRequest({ agentId: 'agent-2' }));
    clock.advance(10);
    const sent = batches.flat();
    const settled = sent.slice(0, 100);
    await ledger.confirm(ledger.epoch, sent);
    for (const request of settled) await ledger.step([settleRequest(request)]);
    const receipt = await ledger.kill(ONE, order('k'));
    const named = receipt.open.map(({ actionId }) => actionId);
    expect(named).toEqual([...sent.slice(100), late].map(({ actionId }) => actionId));
    expect((await ledger.open(TENANT)).at(-1)?.actionId).toBe(other.actionId);
    await ledger.step([settleRequest(sent[200] ?? late)]);
    expect(await (await connect()).kill(ONE, order('k'))).toEqual(receipt);
    expect((await ledger.kill(ALL, order('all'))).open).toHaveLength(named.length);
  });

  test('of everything is known from the registry before any shard has it', async () => {
    const { ready, lose } = scene();
    const ledger = await ready();
    await ledger.step([stepRequest()]);
    await ledger.kill(ALL, order('k'));
    await lose(`{${TENANT}}:flags`);
    expect(await ledger.killStatus(TENANT, AGENT)).toMatchObject({ killed: { scope: 'all', revision: 1 } });
    expect(await ledger.killed(TENANT)).toMatchObject([{ scope: 'all' }]);
  });

  test('of everything is another kill after a revive that one shard did not see, even with the same id', async () => {
    const { ready, namespace } = scene();
    const ledger = await ready();
    await allow(ledger, stepRequest());
    await allow(ledger, stepRequest({ tenant: 'away' }));
    await own.redis.hset(`${namespace}:{away}:meta`, 'state', 'rebuilding');
    await expect(ledger.kill(ALL, order('k'))).rejects.toEqual(unready(/away/));
    await ledger.revive(ALL, 2, 'r');
    await own.redis.hset(`${namespace}:{away}:meta`, 'state', 'ready');
    expect(isAllowed(await decide(ledger, stepRequest({ tenant: 'away' })))).toBe(true);
    expect((await ledger.kill(ALL, order('k'))).revision).toBe(3);
    for (const tenant of [TENANT, 'away']) {
      expect((await decide(ledger, stepRequest({ tenant }))).kill).toMatchObject({ revision: 3 });
    }
  });

  test('a revive of everything that did not reach every shard is completed when a caller asks whether the revive was carried out', async () => {
    const { ready, namespace } = scene();
    const ledger = await ready();
    await ledger.step([stepRequest(), stepRequest({ tenant: 'away' })]);
    await ledger.kill(ALL, order('k'));
    // A value of another type makes the script fail, as if the shard could not be reached.
    const flags = `${namespace}:{away}:flags`;
    const kept = await own.redis.hgetallBuffer(flags);
    await own.redis.del(flags);
    await own.redis.set(flags, 'broken');
    await expect(ledger.revive(ALL, 2, 'r')).rejects.toEqual(unready(/away/));
    await own.redis.del(flags);
    await own.redis.hset(flags, kept);
    expect((await decide(ledger, stepRequest({ tenant: 'away' }))).kill).toMatchObject({ revision: 1 });
    expect(await ledger.revived(ALL, 'r')).toBe(true);
    expect(isAllowed(await decide(ledger, stepRequest({ tenant: 'away' })))).toBe(true);
    await ledger.kill(ALL, order('k2'));
    expect(await ledger.revive(ALL, 2, 'r')).toBe(false);
  });
});
