/**
 * Tests a cluster in which each master has a replica. Charges wait for the replica of their shard, and survive the
 * loss of the master.
 */
import {
  describeWithOwnServers,
  IS_SHORT,
  type RedisCluster,
  startRedisCluster,
  waitUntil,
} from '@mandate/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { allow, decide, isAllowed, spent } from '../contract/bench.ts';
import { stepRequest } from '../contract/builders.ts';
import { createState } from '../memory/state.ts';
import { freshNamespace, rebuildFrom } from './fresh-ledger.fixture.ts';
import { createRedisLedger } from './redis-ledger.ts';

const REPLAY_MS = 86_400_000;
const PATIENCE_MS = 60_000;

describeWithOwnServers(['redis'], 'a cluster with replicas', () => {
  let cluster: RedisCluster;
  /** One tenant on each node. The first tenant is on the registry's node. */
  let tenants: string[];
  beforeAll(async () => {
    cluster = await startRedisCluster({
      appendonly: true,
      withReplicas: true,
      config: { appendfsync: 'everysec', 'cluster-require-full-coverage': 'no' },
    });
    const home = await nodeNumber('_registry');
    const others = [0, 1, 2].filter((number) => number !== home);
    tenants = await Promise.all([home, ...others].map(tenantOn));
  });
  afterAll(() => cluster?.stop());

  async function nodeNumber(tag: string): Promise<number> {
    return cluster.nodes.indexOf(await cluster.nodeOf(tag));
  }

  async function tenantOn(number: number): Promise<string> {
    for (let at = 0; ; at += 1) if ((await nodeNumber(`tenant-${at}`)) === number) return `tenant-${at}`;
  }

  async function connect(namespace: string, timeoutMs = 1_000) {
    const ledger = await createRedisLedger({
      clusterNodes: cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port })),
      namespace,
      waitReplicas: { count: 1, timeoutMs },
    });
    onTestFinished(() => ledger.close());
    return ledger;
  }

  const rebuilt = (ledger: Awaited<ReturnType<typeof connect>>, epoch: string) =>
    waitUntil(
      'the ledger to be rebuilt',
      () =>
        rebuildFrom(ledger, createState(REPLAY_MS), epoch).then(
          () => true,
          () => false,
        ),
      PATIENCE_MS,
    );

  test.skipIf(IS_SHORT)(
    'answers no ALLOW of a shard until its replica is back, and continues with the other shards',
    async () => {
      const ledger = await connect(freshNamespace());
      await rebuilt(ledger, 'epoch-1');
      const [, stalled = '', free = ''] = tenants;
      for (const tenant of [stalled, free]) {
        expect(isAllowed(await decide(ledger, stepRequest({ tenant })))).toBe(true);
      }
      const replica = cluster.replicas[await nodeNumber(stalled)];
      replica?.pause();
      const request = stepRequest({ tenant: stalled });
      const refused = expect.objectContaining({
        code: 'LEDGER_UNAVAILABLE',
        message: expect.stringMatching(/Only 0 of 1 replicas/),
      });
      await expect(ledger.step([request])).rejects.toEqual(refused);
      const order = { id: 'k', by: 'op', reason: 'r' };
      const kill = () => ledger.kill({ scope: 'tenant', tenant: stalled }, order);
      await expect(kill()).rejects.toEqual(refused);
      expect(isAllowed(await decide(ledger, stepRequest({ tenant: free })))).toBe(true);
      // A whole batch fails if one of its shards fails.
      await expect(ledger.step([request, stepRequest({ tenant: free })])).rejects.toEqual(refused);
      replica?.resume();
      const [again] = await waitUntil('the replica to have it', () =>
        ledger.step([request]).catch(() => null),
      );
      expect(again).toMatchObject({ kind: 'decided', redelivered: true });
      expect(await spent(ledger, stalled)).toEqual({ 'agent agent-1 total': 200 });
      expect(await kill()).toMatchObject({ sequences: { [stalled]: expect.any(Number) } });
    },
  );

  test('loses no acknowledged charge if a master dies, and does not trust its replica before a rebuild', async () => {
    const namespace = freshNamespace();
    const ledger = await connect(namespace, 2_000);
    await rebuilt(ledger, 'epoch-1');
    const [, tenant = ''] = tenants;
    await Promise.all(Array.from({ length: 20 }, () => allow(ledger, stepRequest({ tenant }))));
    const number = await nodeNumber(tenant);
    await cluster.nodes[number]?.kill();
    const promoted = new Redis(cluster.replicas[number]?.url ?? '');
    onTestFinished(() => promoted.disconnect());
    await waitUntil(
      'the replica to be promoted',
      async () => (await promoted.info('replication')).includes('role:master'),
      PATIENCE_MS,
    );
    const [spentThere = ''] = await promoted.keys(`${namespace}:{${tenant}}:*:spent`);
    expect(Object.values(await promoted.hgetall(spentThere))).toEqual(['2000']);

    const notBelieved = await waitUntil(
      'the client to find the new master',
      async () => {
        const error: unknown = await ledger
          .step([stepRequest({ tenant })])
          .catch((thrown: unknown) => thrown);
        return error instanceof Error && /failed over/.test(error.message) && error;
      },
      PATIENCE_MS,
    );
    expect(notBelieved).toMatchObject({ code: 'LEDGER_UNAVAILABLE' });
  });
});
