/** Every service of a plane in a process of its own, on servers of the test's own, and what a test asks of them all. */
import {
  type ClickHouseServer,
  type KafkaCluster,
  type RedisServer,
  startClickHouse,
  waitUntil,
} from '@mandate/testing';
import { decisionsBy, serverPlane } from '../e2e/distributed/server-plane.ts';
import {
  endsWithTest,
  expectLawsHold,
  openTestLog,
  SHORT_SESSION,
  startBreakable,
} from './breakable-servers.ts';

export const PATIENCE_MS = 120_000;

export type WholePlane = Awaited<ReturnType<typeof wholePlane>>;
export type WholeServers = { kafka: KafkaCluster; redis: RedisServer; clickhouse: ClickHouseServer };

/**
 * @param settings of every service
 * @param redisUrl where they find Redis; its own address when absent
 */
export async function wholePlane(
  startLedger: () => Promise<RedisServer>,
  { mandates, settings = {} }: { mandates: string; settings?: Record<string, string> },
  redisUrl: (servers: WholeServers) => Promise<string | null> = async () => null,
) {
  const clickhouse = endsWithTest(startClickHouse());
  const servers = { ...(await startBreakable(startLedger)), clickhouse: await clickhouse };
  const url = await redisUrl(servers);
  const told = { ...(url !== null && { MANDATE_REDIS_URL: url }), ...settings };
  const plane = serverPlane(servers, mandates);
  const bus = await openTestLog(servers);
  const [key, gateway, query, recorder] = await Promise.all([
    plane.issueKey('default', ['publish', 'audit', 'operate', 'operate:all']),
    plane.start('gateway', told),
    plane.start('query', told),
    plane.start('recorder', told),
  ]);
  const api = plane.api(gateway.url, key);
  return {
    servers,
    plane,
    bus,
    api,
    gateway,
    recorder,
    key,
    startGateway: () => plane.start('gateway', told),
    startRecorder: () => plane.start('recorder', told),
    startDecider: (own: Record<string, string> = {}, build?: string) =>
      plane.start('decider', { ...told, ...SHORT_SESSION, ...own }, build),
    expectLawsHold: () => expectLawsHold(bus, api, plane.api(query.url, key)),
  };
}

type Decider = Awaited<ReturnType<WholePlane['startDecider']>>;

/** Resolves once each of them has published another decision; `askMore` is called until then. */
export async function allAtWork(
  deciders: readonly Decider[],
  askMore: () => Promise<unknown> = async () => {},
): Promise<void> {
  const before = await Promise.all(deciders.map(decisionsBy));
  await waitUntil(
    'every decider to be at work',
    async () => {
      const counts = await Promise.all(deciders.map(decisionsBy));
      const idle = counts.some((count, at) => count <= (before[at] ?? 0));
      if (idle) await askMore();
      return !idle;
    },
    PATIENCE_MS,
  );
}

/** Resolves once each of them has waited for the ledger another `times`. */
export async function allWaiting(deciders: readonly Decider[], times = 2): Promise<void> {
  const before = await Promise.all(deciders.map(waitsOf));
  await waitUntil(
    'every decider to wait for the ledger',
    async () => {
      const counts = await Promise.all(deciders.map(waitsOf));
      return counts.every((count, at) => count >= (before[at] ?? 0) + times);
    },
    PATIENCE_MS,
  );
}

/** How often its partitions waited for the ledger. */
async function waitsOf({ url }: { url: string }): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, count] =
    /^mandate_decider_waits_total\{[^}]*code="LEDGER_UNAVAILABLE"[^}]*\} (\d+)$/m.exec(text) ?? [];
  return Number(count ?? 0);
}
