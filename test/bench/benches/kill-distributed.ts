/**
 * The kill switch where Redis holds the flag and Kafka the event: asked for over HTTP, one after the other, until the
 * gateway has answered, which it does once the event is on the log. And the flag alone, from the call until no ALLOW can
 * follow. Beside both a bare SET on the same server.
 */
import { openPlane, type Plane, planeConfig } from '@mandate/cli';
import { silentLogger } from '@mandate/runtime';
import { type KafkaCluster, plainRedis, type RedisServer, startKafka } from '@mandate/testing';
import { type Comparison, compare } from '../measure/compare.ts';
import type { Latencies } from '../measure/latencies.ts';
import { figuresOf } from '../measure/load-figures.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import type { Row } from '../row.ts';
import { type HttpLoad, startHttpLoad } from '../workload/http-load.ts';
import { mandatesFileIn } from '../workload/mandate.ts';
import { startLedgerServer } from '../workload/servers.ts';
import { temporaryFolder } from '../workload/temporary-log.ts';

const KILLS = 300;

type Rival = Comparison<keyof Latencies>['beside'];

export async function killDistributed(): Promise<Row[]> {
  await using kafka = await startKafka();
  await using server = await startLedgerServer();
  using folder = temporaryFolder();
  const plane = await openPlane(configOf(folder.path, kafka, server), silentLogger());
  const client = startHttpLoad();
  const redis = plainRedis(server.url);
  const names = Array.from({ length: KILLS }, (_, index) => `bare:kill:${index}`);
  const beside: Rival = { what: 'a bare SET', run: () => oneByOne(names, (name) => redis.set(name, '1')) };
  try {
    return [...(await overHttp(plane, client, beside)), ...(await flagAlone(plane, beside))];
  } finally {
    redis.disconnect();
    client.stop();
    await plane.stop();
  }
}

function configOf(folder: string, kafka: KafkaCluster, redis: RedisServer) {
  return planeConfig.parse({
    PLANE_DATA_PATH: folder,
    PLANE_MANDATES_PATH: mandatesFileIn(folder),
    PLANE_PORT: 0,
    KAFKA_BROKERS: kafka.brokers,
    KAFKA_CREATE_TOPICS: true,
    KAFKA_REPLICATION_FACTOR: 1,
    KAFKA_MIN_IN_SYNC_REPLICAS: 1,
    REDIS_URL: redis.url,
  });
}

function overHttp(plane: Plane, client: HttpLoad, beside: Rival): Promise<Row[]> {
  const key = plane.firstKeys.find(({ name }) => name === 'operator')?.key ?? null;
  const bodies = Array<string>(KILLS).fill('{"reason":"it ran away"}');
  let round = 0;
  return compare({
    pairs: 3,
    ours: () =>
      figuresOf(client, {
        url: plane.url,
        key,
        connections: 1,
        bodies,
        path: `/v1/agents/runaway-${round++}-{{n}}/kill`,
        expected: '"revision":',
      }),
    beside,
    figures: named('kill on Kafka and Redis, answered over HTTP'),
  });
}

function flagAlone({ ledger }: Plane, beside: Rival): Promise<Row[]> {
  let round = 0;
  return compare({
    pairs: 3,
    ours: () => {
      const agents = Array.from({ length: KILLS }, (_, index) => `stray-${round}-${index}`);
      round += 1;
      return oneByOne(agents, (agentId) =>
        ledger.kill(
          { scope: 'agent', tenant: 'default', agentId },
          { id: `kil_${agentId}`, by: 'bench', reason: 'it ran away' },
        ),
      );
    },
    beside,
    figures: named('kill: flag in force in Redis'),
  });
}

function named(what: string) {
  return {
    p50Ms: { what: `${what}: p50`, unit: 'ms' },
    p99Ms: { what: `${what}: p99`, unit: 'ms' },
  } as const;
}
