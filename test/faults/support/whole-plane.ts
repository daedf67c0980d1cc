/** Runs every service of a plane in its own process, on servers that the test starts, and checks the whole plane. */
import type { Bus } from '@mandate/bus';
import { allHolds, reconcilePlane } from '@mandate/reconcile';
import {
  type ClickHouseServer,
  type KafkaCluster,
  type KafkaOptions,
  type RedisServer,
  startClickHouse,
  startRedis,
  waitUntil,
} from '@mandate/testing';
import { expect } from 'vitest';
import { type Api, serverPlane } from '../../e2e/distributed/support/server-plane.ts';
import {
  endsWithTest,
  openTestLog,
  PATIENCE_MS,
  SHORT_SESSION,
  startBreakable,
} from './breakable-servers.ts';
import { expectLaws } from './expect-laws.ts';
import type { FollowedLog } from './follow-log.ts';

export type WholePlane = Awaited<ReturnType<typeof wholePlane>>;

type Settings = Record<string, string>;

/** Settings for deciders with small batches. Then more batches are in progress, so a fault hits more of them. */
export const SMALL_BATCHES: Settings = { BATCH_RECORDS: '20' };

type WholeServers = { kafka: KafkaCluster; redis: RedisServer; clickhouse: ClickHouseServer };

export type PlaneOptions = {
  /** Starts the ledger's server. By default a Redis that keeps its data over a restart. */
  startLedger?: () => Promise<RedisServer>;
  kafka?: KafkaOptions;
  /** The settings of every service. If this is a function, it is called with the servers after they have started. */
  settings?: Settings | ((servers: WholeServers) => Settings);
  /** Further settings for every decider. */
  deciders?: Settings;
};

/** Starts all services except the deciders, with an operator of `default`. */
export async function wholePlane(
  mandates: string,
  {
    startLedger = () => startRedis({ appendonly: true }),
    kafka = {},
    settings: given = {},
    deciders = {},
  }: PlaneOptions = {},
) {
  const [breakable, clickhouse] = await Promise.all([
    startBreakable(startLedger, kafka),
    endsWithTest(startClickHouse()),
  ]);
  const servers = { ...breakable, clickhouse };
  const settings = typeof given === 'function' ? given(servers) : given;
  const plane = serverPlane(servers, mandates);
  const bus = await openTestLog(servers);
  const startGateway = (own: Settings = {}) => plane.start('gateway', { ...settings, ...own });
  const startRecorder = () => plane.start('recorder', settings);
  const [key, gateway, query, recorder] = await Promise.all([
    plane.issueKey('default', ['publish', 'report', 'release', 'audit', 'operate', 'operate:all']),
    startGateway(),
    plane.start('query', settings),
    startRecorder(),
  ]);
  const apiOf = ({ url }: { url: string }) => plane.api(url, key);
  const api = apiOf(gateway);
  return {
    servers,
    plane,
    bus,
    api,
    /** Returns a client of the same operator for another gateway. */
    apiOf,
    gateway,
    query,
    recorder,
    startGateway,
    startRecorder,
    startDecider: (own: Settings = {}, build?: string) =>
      plane.start('decider', { ...SHORT_SESSION, ...settings, ...deciders, ...own }, build),
    expectLawsHold: () => expectLawsHold(bus, api, apiOf(query)),
  };
}

/**
 * Waits until deciders and recorder have read everything. Then checks, to the micro-dollar, that every law is kept in
 * the key's tenant.
 */
async function expectLawsHold(bus: Bus, gateway: Api, query: Api): Promise<void> {
  const api: Api = {
    ...gateway,
    get: (path, parameters) => (path.startsWith('/v1/audit') ? query : gateway).get(path, parameters),
  };
  const report = await waitUntil('every law to hold', async () => {
    const found = await reconcilePlane(bus, api);
    return allHolds(found) && found.requests.open === 0 && found;
  }).catch(() => reconcilePlane(bus, api));
  expectLaws(report);
  expect(report.requests.open).toBe(0);
  expect(report.counters).toBeGreaterThan(0);
}

/**
 * Checks what must hold at the end of each test: every action is decided, no two decisions differ, and nothing is
 * lost.
 */
export async function expectWhole(seen: FollowedLog, asked: number): Promise<void> {
  await waitUntil('a decision for every action', () => seen.decisions.size >= asked, PATIENCE_MS);
  await waitUntil('an end for every outcome', () => seen.settled.size === seen.outcomes(), PATIENCE_MS);
  await seen.caughtUp();
  expect(seen.decisions.size).toBe(asked);
  expect(seen.contradictions).toEqual([]);
  expect(seen.deadLetters()).toBe(0);
  expect(seen.lostOutcomes()).toEqual([]);
}
