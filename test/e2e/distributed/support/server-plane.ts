/**
 * Starts a Kafka, a Redis and a ClickHouse for one test file, and services that use them, each in its own process.
 */

import { writeFileSync } from 'node:fs';
import { createApiClient } from '@mandate/client';
import { dataFolder } from '@mandate/runtime';
import type { ApiScope } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import {
  type ClickHouseServer,
  type KafkaCluster,
  type RedisCluster,
  type RedisServer,
  type ServiceName,
  startClickHouse,
  startKafka,
  startRedis,
  startService,
  temporaryFolder,
} from '@mandate/testing';
import { onTestFailed } from 'vitest';

export type Servers = AsyncDisposable & {
  kafka: KafkaCluster;
  redis: RedisServer;
  clickhouse: ClickHouseServer;
};

export async function startServers(): Promise<Servers> {
  await using stack = new AsyncDisposableStack();
  const kafka = stack.use(await startKafka());
  const redis = stack.use(await startRedis({ appendonly: true, config: { appendfsync: 'everysec' } }));
  const clickhouse = stack.use(await startClickHouse());
  const held = stack.move();
  return { kafka, redis, clickhouse, [Symbol.asyncDispose]: () => held.disposeAsync() };
}

const SCOPES: ApiScope[] = ['publish', 'report', 'audit', 'operate'];

export type Api = ReturnType<ReturnType<typeof serverPlane>['api']>;

/** Returns how many decisions a decider has published. */
export async function decisionsBy({ url }: { url: string }): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = [...text.matchAll(/^mandate_decider_decisions_total\{[^}]*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** The servers of a plane. Without a ClickHouse server, each service that needs ClickHouse uses a folder. */
export type Backends = {
  kafka: KafkaCluster;
  redis: RedisServer | RedisCluster;
  clickhouse?: ClickHouseServer;
};

/** Returns the replication of new topics. With three brokers, topics survive the loss of one broker. */
export function replicationOn({ brokers }: Pick<KafkaCluster, 'brokers'>) {
  return { replicationFactor: brokers.length, minInSyncReplicas: Math.ceil((brokers.length + 1) / 2) };
}

/**
 * Returns environment variables with the servers' addresses, for every process. A process ignores those that it does
 * not use.
 */
export function environmentOf({ kafka, redis, clickhouse }: Backends): Record<string, string> {
  const { replicationFactor, minInSyncReplicas } = replicationOn(kafka);
  return {
    MANDATE_KAFKA_BROKERS: kafka.brokers.join(','),
    MANDATE_KAFKA_CREATE_TOPICS: 'true',
    MANDATE_KAFKA_REPLICATION_FACTOR: String(replicationFactor),
    MANDATE_KAFKA_MIN_IN_SYNC_REPLICAS: String(minInSyncReplicas),
    ...('nodes' in redis
      ? { MANDATE_REDIS_CLUSTER_NODES: redis.nodes.map(({ port }) => `127.0.0.1:${port}`).join(',') }
      : { MANDATE_REDIS_URL: redis.url }),
    ...(clickhouse && { MANDATE_CLICKHOUSE_URL: clickhouse.url }),
  };
}

/** Returns a data folder for mandates and keys, and functions that start services on these servers. */
export function serverPlane(backends: Backends, mandates: string) {
  const folder = dataFolder(temporaryFolder());
  writeFileSync(folder.mandates, mandates);
  const keys = fileKeyStore(folder.keys);
  const environment = environmentOf(backends);
  const data = { DATA_PATH: folder.path };
  return {
    data,
    /** @param build the root of another checkout, if the service does not run from this repository */
    async start(service: ServiceName, settings: Record<string, string> = {}, build?: string) {
      const told = { ...environment, ...data, ...settings };
      const started = await startService(service, told, build);
      onTestFailed(() => console.error(`The ${service} said last:\n${started.errors().slice(-4_000)}`));
      return started;
    },
    async issueKey(tenant: string, scopes = SCOPES): Promise<string> {
      const { key, record } = issueApiKey({ tenant, scopes, agents: ['*'], name: tenant });
      await keys.add(record);
      return key;
    },
    api: (url: string, key: string) => createApiClient({ url, key }),
  };
}
