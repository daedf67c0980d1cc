/**
 * Functions for a `*.servers.test.ts` that name the servers it needs. If a server is missing, the tests are skipped,
 * and a banner says why.
 */
import { describe, inject, test } from 'vitest';
import type { ServerKind } from './offer.ts';
import type {} from './provide-servers.ts';

/** Describes tests with servers that all files of the run share (`sharedServer`). */
export function describeWithServers(kinds: readonly ServerKind[], name: string, tests: () => void): void {
  const { shared } = inject('servers');
  describe.skipIf(kinds.some((kind) => shared[kind] !== null))(name, tests);
}

/**
 * Describes tests that start their own servers and may break them (`startRedis`, `startKafka`, `startClickHouse`).
 */
export function describeWithOwnServers(kinds: readonly ServerKind[], name: string, tests: () => void): void {
  const { own } = inject('servers');
  describe.skipIf(kinds.some((kind) => own[kind] !== null))(name, tests);
}

/** Defines a test that publishes with kcat, a Kafka client from elsewhere (`publishWithKcat`). */
export function testWithKcat(name: string, body: () => Promise<void>): void {
  test.skipIf(inject('servers').kcat !== null)(name, body);
}

/** Like `describeWithOwnServers`, but for tests that move the clock of a Redis (`movableClock`). */
export function describeWithMovableClock(
  kinds: readonly ServerKind[],
  name: string,
  tests: () => void,
): void {
  const { own, faketime } = inject('servers');
  describe.skipIf(faketime !== null || kinds.some((kind) => own[kind] !== null))(name, tests);
}

/** Describes tests of files that Prometheus reads (`promtool`). */
export function describeWithPromtool(name: string, tests: () => void): void {
  describe.skipIf(inject('servers').promtool !== null)(name, tests);
}

/** Describes tests that look at the console (`chromiumOptions`). */
export function describeWithChromium(name: string, tests: () => void): void {
  describe.skipIf(inject('servers').chromium !== null)(name, tests);
}

/**
 * Returns the address of the shared Redis or ClickHouse (a URL) or Kafka (`host:port,…`). The first call starts the
 * server. Other tests use the server too. So use tenants, topics and databases with unique names, and never flush or
 * stop the server.
 */
export async function sharedServer(kind: ServerKind): Promise<string> {
  const response = await fetch(`${inject('servers').desk}/${kind}`);
  const answer = await response.text();
  if (!response.ok) throw new Error(`no ${kind}: ${answer}`);
  return answer;
}
