/** Tests the promises of the ledger on a cluster: tenants are on several servers, and one server may fail. */
import type { KillTarget } from '@mandate/schemas';
import {
  byLength,
  describeWithOwnServers,
  type RedisCluster,
  startRedisCluster,
  waitUntil,
} from '@mandate/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { allow, decide, isAllowed } from '../contract/bench.ts';
import { stepRequest } from '../contract/builders.ts';
import { ledgerContract, ledgerHistories } from '../contract.ts';
import { createState } from '../memory/state.ts';
import { freshLedger, freshNamespace, makeOn, rebuildFrom } from './fresh-ledger.fixture.ts';
import { createRedisLedger } from './redis-ledger.ts';

describeWithOwnServers(['redis'], 'on a cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster({ appendonly: true, config: { appendfsync: 'everysec' } });
  });
  afterAll(() => cluster?.stop());
  const clusterNodes = () => cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port }));

  const make = makeOn(() => ({ clusterNodes: clusterNodes() }));

  ledgerContract('the Redis ledger on a cluster', make);
  ledgerHistories('the Redis ledger on a cluster', make, {
    numRuns: byLength({ short: 5, full: 20 }),
    maxLength: 30,
  });

  const ALL: KillTarget = { scope: 'all' };
  const TENANTS = Array.from({ length: 24 }, (_, at) => `tenant-${at}`);

  describe('on three servers', () => {
    test('decides a batch of many tenants, and a kill of everything reaches each tenant', async () => {
      const ledger = await freshLedger({ clusterNodes: clusterNodes() });
      onTestFinished(() => ledger.close());
      const batch = TENANTS.map((tenant) => stepRequest({ tenant }));
      const results = await ledger.step(batch);
      expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['decided']));
      await ledger.confirm(ledger.epoch, batch);
      expect(await ledger.tenants()).toEqual([...TENANTS].sort());
      const receipt = await ledger.kill(ALL, { id: 'k', by: 'op', reason: 'stop' });
      expect(Object.keys(receipt.sequences).sort()).toEqual([...TENANTS].sort());
      expect(receipt.open).toHaveLength(TENANTS.length);
      const acts = await Promise.all(TENANTS.map((tenant) => decide(ledger, stepRequest({ tenant }))));
      expect(acts.some(isAllowed)).toBe(false);
      expect(await ledger.revive(ALL, 2, 'r')).toBe(true);
      const again = await Promise.all(TENANTS.map((tenant) => decide(ledger, stepRequest({ tenant }))));
      expect(again.every(isAllowed)).toBe(true);
    });

    test('stops only the tenants of a restarted server, until the rebuild', async () => {
      const namespace = freshNamespace();
      const ledger = await createRedisLedger({ clusterNodes: clusterNodes(), namespace });
      onTestFinished(() => ledger.close());
      await rebuildFrom(ledger, createState(86_400_000), 'epoch-1');
      for (const tenant of TENANTS) await allow(ledger, stepRequest({ tenant }));
      // The last node contains no registry of any test.
      const [, , last] = cluster.nodes;
      await last?.restart();
      const stopped = async () => {
        const told = await Promise.all(
          TENANTS.map((tenant) =>
            ledger.step([stepRequest({ tenant })]).then(
              () => 'decided',
              (error: unknown) => (error instanceof Error ? error.message : ''),
            ),
          ),
        );
        return told.map((message) => (/restarted/.test(message) ? 'stopped' : message));
      };
      const told = await waitUntil('every server to answer', async () => {
        const each = new Set(await stopped());
        return each.size === 2 && each.has('decided') && each.has('stopped') && each;
      });
      expect(told.size).toBe(2);
      const opening = await Promise.all(
        TENANTS.map((tenant) =>
          ledger.killStatus(`new-${tenant}`, 'a').then(
            () => 'opened',
            (error: unknown) =>
              error instanceof Error && /restarted/.test(error.message) ? 'stopped' : error,
          ),
        ),
      );
      expect(new Set(opening)).toEqual(new Set(['opened', 'stopped']));
      const killing = ledger.kill(ALL, { id: 'k', by: 'op', reason: 'stop' });
      await expect(killing).rejects.toMatchObject({ code: 'LEDGER_UNAVAILABLE', retryable: true });
      await rebuildFrom(ledger, createState(86_400_000), 'epoch-2');
      expect((await ledger.kill(ALL, { id: 'k', by: 'op', reason: 'stop' })).revision).toBe(1);
      for (const tenant of TENANTS) {
        expect(await decide(ledger, stepRequest({ tenant }))).toMatchObject({
          epoch: 'epoch-2',
          kill: { scope: 'all', revision: 1 },
        });
      }
    });
  });
});
