/**
 * The servers that all test files of a run share. Before the first test, the available servers are found and printed.
 * Each server starts when the first test asks for it, because a broker takes seconds and most runs have only one
 * file.
 *
 * Tests run in their own processes, so they ask over HTTP: GET /redis returns the address of Redis.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { installedChromium } from './chromium.ts';
import { installedKcat } from './kafka/install-kcat.ts';
import { MissingServerError } from './missing-server.ts';
import { type Offer, SERVER_KINDS, type ServerKind, type SharedServer } from './offer.ts';
import { installedPromtool } from './promtool.ts';
import { installedFaketime } from './redis/movable-clock.ts';
import { localOffer, offerOf } from './sources.ts';

/** What test files receive: for each kind of server, the text about what is missing, or null. */
export type ProvidedServers = {
  /** The URL of the HTTP server that returns the addresses of shared servers. */
  readonly desk: string;
  readonly shared: Readonly<Record<ServerKind, string | null>>;
  /**
   * What is missing for servers that a test starts itself, with `startRedis` and similar functions. Null if nothing
   * is missing.
   */
  readonly own: Readonly<Record<ServerKind, string | null>>;
  /** What is missing for kcat, a Kafka client in another language. Null if nothing is missing. */
  readonly kcat: string | null;
  /** What is missing for promtool, which checks rules and expressions. Null if nothing is missing. */
  readonly promtool: string | null;
  /** What is missing for Chromium, which shows the console. Null if nothing is missing. */
  readonly chromium: string | null;
  /** What is missing for faketime, which gives a server its own clock. Null if nothing is missing. */
  readonly faketime: string | null;
};

declare module 'vitest' {
  interface ProvidedContext {
    servers: ProvidedServers;
  }
}

/** Finds the servers and prints what it found. Call the returned function at the end of the run. */
export async function provideServers(project: TestProject): Promise<() => Promise<void>> {
  const shared = await forEachKind((kind) => orMissing(offerOf(kind)));
  const own = await forEachKind((kind) => orMissing(localOffer(kind)));
  const kcat = await orMissing(installedKcat());
  const promtool = await orMissing(installedPromtool());
  const faketime = await orMissing(installedFaketime());
  const chromium = await orMissing(installedChromium());
  const programs = { kcat, promtool, faketime, chromium };
  console.log(`\n${banner(shared, own, programs)}\n`);
  const missing = SERVER_KINDS.flatMap((kind) => lacking(shared[kind]) ?? lacking(own[kind]) ?? []);
  for (const program of Object.values(programs)) if ('lacks' in program) missing.push(program.lacks);
  if (process.env.CI === 'true' && missing.length > 0) {
    throw new MissingServerError(
      `In CI every server must be there, and ${Object.keys(programs).join(', ')}: ${missing.join('; ')}`,
    );
  }

  const started = new Map<ServerKind, Promise<SharedServer>>();
  const desk = createServer(async (request, response) => {
    const kind = SERVER_KINDS.find((kind) => request.url === `/${kind}`);
    const offer = kind === undefined ? undefined : shared[kind];
    if (kind === undefined || offer === undefined || 'lacks' in offer) {
      response.writeHead(404).end('no such server');
      return;
    }
    const server = started.get(kind) ?? offer.start();
    started.set(kind, server);
    await server.then(
      ({ address }) => response.end(address),
      (error) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(desk, 'listening');
  const place = desk.address();
  if (place === null || typeof place === 'string') throw new Error('a listening server has no port');
  project.provide('servers', {
    desk: `http://127.0.0.1:${place.port}`,
    shared: await forEachKind(async (kind) => lacking(shared[kind])),
    own: await forEachKind(async (kind) => lacking(own[kind])),
    kcat: lacking(kcat),
    promtool: lacking(promtool),
    faketime: lacking(faketime),
    chromium: lacking(chromium),
  });

  return async () => {
    desk.close();
    const running = await Promise.allSettled(started.values());
    await Promise.all(running.map((server) => server.status === 'fulfilled' && server.value.stop()));
  };
}

type Lacking = { readonly lacks: string };
type Found = Offer | Lacking;
type FoundProgram = { readonly what: string } | Lacking;

function orMissing<T>(offer: Promise<T>): Promise<T | Lacking> {
  return offer.catch((error) => {
    if (error instanceof MissingServerError) return { lacks: error.message };
    throw error;
  });
}

function lacking(found: FoundProgram): string | null {
  return 'lacks' in found ? found.lacks : null;
}

function banner(
  shared: Record<ServerKind, Found>,
  own: Record<ServerKind, Found>,
  programs: Readonly<Record<string, FoundProgram>>,
): string {
  const lines = SERVER_KINDS.map((kind) => {
    const found = shared[kind];
    if ('lacks' in found) return `  ${kind}: NONE, so its tests are NOT RUN: ${found.lacks}`;
    const why = lacking(own[kind]);
    return `  ${kind}: ${found.what}${why === null ? '' : `; tests that break a server of their own are NOT RUN: ${why}`}`;
  });
  const programLines = Object.entries(programs).map(([name, found]) => {
    const said = 'lacks' in found ? `NONE, so its tests are NOT RUN: ${found.lacks}` : found.what;
    return `  ${name}: ${said}`;
  });
  return ['Servers of these tests:', ...lines, ...programLines].join('\n');
}

async function forEachKind<T>(of: (kind: ServerKind) => Promise<T>): Promise<Record<ServerKind, T>> {
  const [redis, kafka, clickhouse] = await Promise.all([of('redis'), of('kafka'), of('clickhouse')]);
  return { redis, kafka, clickhouse };
}
