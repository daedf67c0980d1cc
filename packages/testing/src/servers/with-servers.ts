/** How a `*.servers.test.ts` states which servers it needs. Without them it is skipped, as the banner has said. */
import { describe, inject, test } from 'vitest';
import type { ServerKind } from './offer.ts';
import type {} from './provide-servers.ts';

/** For tests on servers that all files of the run share (`sharedServer`). */
export function describeWithServers(kinds: readonly ServerKind[], name: string, tests: () => void): void {
  const { shared } = inject('servers');
  describe.skipIf(kinds.some((kind) => shared[kind] !== null))(name, tests);
}

/** For tests that start servers of their own and may break them (`startRedis`, `startKafka`, `startClickHouse`). */
export function describeWithOwnServers(kinds: readonly ServerKind[], name: string, tests: () => void): void {
  const { own } = inject('servers');
  describe.skipIf(kinds.some((kind) => own[kind] !== null))(name, tests);
}

/** For a test that publishes with a Kafka client of another vendor (`publishWithKcat`). */
export function testWithKcat(name: string, body: () => Promise<void>): void {
  test.skipIf(inject('servers').kcat !== null)(name, body);
}

/** Like `describeWithOwnServers`, for tests with a Redis that has a movable clock (`movableClock`). */
export function describeWithMovableClock(
  kinds: readonly ServerKind[],
  name: string,
  tests: () => void,
): void {
  const { own, faketime } = inject('servers');
  describe.skipIf(faketime !== null || kinds.some((kind) => own[kind] !== null))(name, tests);
}

/** For tests of files that Prometheus reads (`promtool`). */
export function describeWithPromtool(name: string, tests: () => void): void {
  describe.skipIf(inject('servers').promtool !== null)(name, tests);
}

/**
 * Returns the address of the run's own Redis or ClickHouse (a URL) or Kafka (`host:port,…`), which is started at the
 * first call. Other tests use it too. So use names (tenants, topics, databases) that no other test has, and neither
 * flush nor stop it.
 */
export async function sharedServer(kind: ServerKind): Promise<string> {
  const response = await fetch(`${inject('servers').desk}/${kind}`);
  const answer = await response.text();
  if (!response.ok) throw new Error(`no ${kind}: ${answer}`);
  return answer;
}
