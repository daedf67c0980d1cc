/**
 * A Redis Cluster with one replica for each master, and deciders that wait until charges are on the replica. While a
 * replica is paused, nothing of its shard is allowed, and nothing is lost when the replica is back. Then the master
 * dies, and its replica is promoted. The promoted node has no replica, so nothing is allowed until the old master
 * follows it.
 */
import { TOPICS } from '@mandate/schemas';
import { describeWithOwnServers, plainRedis, startRedisCluster, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { serverPlane } from '../e2e/distributed/support/server-plane.ts';
import { request } from './support/agents-at-work.ts';
import { openTestLog, PATIENCE_MS, SHORT_SESSION, startBreakable } from './support/breakable-servers.ts';
import { allWaiting } from './support/deciders-at-work.ts';
import { followLog } from './support/follow-log.ts';

const SHARE = 300;
const COST_MICROS = 10_000;
const MANDATES = `version: 1\nid: all\nagents: ["*"]\ntoolPolicies: { look: { cost: ${COST_MICROS / 1e6} } }\n`;
const REPLICATED = { MANDATE_REDIS_WAIT_REPLICAS: '1', MANDATE_REDIS_WAIT_TIMEOUT_MS: '500' };

type Balances = { balances: readonly { spentMicros: number }[] };

describeWithOwnServers(['kafka', 'redis'], 'deciders that wait for replicas', () => {
  test('allow nothing that no replica has, and lose nothing when a master dies', async () => {
    const servers = await startBreakable(() =>
      startRedisCluster({ appendonly: true, withReplicas: true, config: { appendfsync: 'everysec' } }),
    );
    const plane = serverPlane(servers, MANDATES);
    const bus = await openTestLog(servers);
    const settings = { ...SHORT_SESSION, ...REPLICATED, BATCH_RECORDS: '20' };
    const [gateway, ...deciders] = await Promise.all([
      plane.start('gateway', REPLICATED),
      plane.start('decider', settings),
      plane.start('decider', settings),
    ]);
    const log = await followLog(bus);
    let asked = 0;
    const ask = async () => {
      const calls = Array.from({ length: SHARE }, (_, at) =>
        request({ id: `act-${asked + at}`, agentId: `agent-${at}`, tool: 'look' }),
      );
      await bus.append(TOPICS.actions, calls);
      asked += SHARE;
    };
    const allDecided = () =>
      waitUntil('a decision of every request', () => log.decisions.size === asked, PATIENCE_MS);

    await ask();
    await allDecided();
    const master = await servers.redis.nodeOf('default');
    const replica = servers.redis.replicas[servers.redis.nodes.indexOf(master)];

    replica?.pause();
    await ask();
    // The replica is paused, so the charges are on no replica, however often the deciders try.
    await allWaiting(deciders, 3);
    await log.caughtUp();
    expect(log.decisions.size).toBe(asked - SHARE);
    replica?.resume();
    await allDecided();

    await master.kill();
    await ask();
    const promoted = plainRedis(replica?.url ?? '');
    onTestFinished(() => promoted.disconnect());
    await waitUntil(
      'the replica to take its place',
      async () => (await promoted.info('replication')).includes('role:master'),
      PATIENCE_MS,
    );
    // The promoted node has no replica until the old master is back and follows it.
    await master.restart();
    await allDecided();
    await log.caughtUp();
    expect(log.contradictions).toEqual([]);
    expect(log.allowed).toHaveLength(asked);
    const api = plane.api(gateway.url, await plane.issueKey('default'));
    const { balances } = await waitUntil('the gateway to know the new master', () =>
      api.get<Balances>('/v1/ledger/balances').catch(() => null),
    );
    expect(balances.reduce((sum, { spentMicros }) => sum + spentMicros, 0)).toBe(asked * COST_MICROS);
  });
});
