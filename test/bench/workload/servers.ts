/** Starts the servers of a bench, and prepares their data before a sample. */
import type { Bus } from '@mandate/bus';
import { createKafkaBus } from '@mandate/bus/kafka';
import { createFold } from '@mandate/ledger';
import { createRedisLedger, type RedisLedger } from '@mandate/ledger/redis';
import { silentLogger } from '@mandate/runtime';
import { emptyRedis, type RedisServer, startRedis } from '@mandate/testing';

/** Starts Redis with the settings of infra/redis: it writes every command to its append-only file. */
export function startLedgerServer(): Promise<RedisServer> {
  return startRedis({ appendonly: true, config: { appendfsync: 'everysec' } });
}

/** Empties the server and returns a new ledger on it. */
export async function emptySharedLedger({ url }: RedisServer): Promise<RedisLedger> {
  await emptyRedis(url);
  const ledger = await createRedisLedger({ url });
  const rebuild = await ledger.beginRebuild({ epoch: 'ep_bench' });
  await rebuild.load(createFold().state);
  await rebuild.finish();
  return ledger;
}

/** Opens the log as deciders do. Topics are created on first use. */
export function logOn({ brokers }: { brokers: readonly string[] }): Promise<Bus> {
  return createKafkaBus({
    brokers,
    clientId: 'bench',
    log: silentLogger(),
    createTopics: true,
    replicationFactor: 1,
    minInSyncReplicas: 1,
  });
}
