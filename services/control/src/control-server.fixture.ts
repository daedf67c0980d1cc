/** Control services on one log, and functions that call them. For tests. */

import { join } from 'node:path';
import { recordHttpReads } from '@mandate/access-log';
import { type Bus, createSqliteBus } from '@mandate/bus';
import { controlAt, followControl } from '@mandate/control-log';
import { NO_PRIVACY, redactPieces } from '@mandate/privacy';
import { silentLogger } from '@mandate/runtime';
import type { ApiScope } from '@mandate/schemas';
import type { GateDocument } from '@mandate/schemas/agent-manifest';
import {
  anyKeyStore,
  createHttpServer,
  createMetrics,
  issueApiKey,
  keyStoreOf,
  keysWhileOpen,
  memoryKeyStore,
  serveHttp,
} from '@mandate/server';
import { mustAnswerAsDescribed, temporaryFolder } from '@mandate/testing';
import { onTestFinished } from 'vitest';
import { controlRoutes } from './app.ts';
import type { Control } from './control.ts';
import { openControlThread, type ThreadBounds } from './thread/open-control-thread.ts';
import { startInTestThread } from './thread/thread-in-test.fixture.ts';

export const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

const keyOf = (tenant: string, ...scopes: ApiScope[]) =>
  issueApiKey({ tenant, scopes, agents: ['*'], name: `of ${tenant}` });

const KEYS = {
  author: keyOf('acme', 'author'),
  auditor: keyOf('acme', 'audit'),
  operator: keyOf('acme', 'publish', 'operate', 'operate:all', 'persons'),
  admin: keyOf('acme', 'admin'),
  other: keyOf('globex', 'author', 'audit', 'admin'),
  owner: keyOf('default', 'operate:all'),
};
const OF_HOST = keyOf('globex', 'publish').record;
/** The id of a key of the tenant "globex" in the plane's data folder. */
export const KEY_OF_HOST = OF_HOST.id;
/** The name of one of the callers above, or an API key. */
export type Who = keyof typeof KEYS | `sk-${string}`;

const keyOfWho = (who: Who) => (isNamed(who) ? KEYS[who].key : who);
const isNamed = (who: Who): who is keyof typeof KEYS => who in KEYS;

/** `text` is a raw body, `body` a value that is sent as JSON. Give at most one of them. */
export type Sent = { body?: unknown; text?: string; headers?: Readonly<Record<string, string>> };

/** @param clock the clock of the log. Default: the clock of the machine */
export async function openLog(clock: () => number = Date.now): Promise<Bus> {
  const path = join(temporaryFolder(), 'log.sqlite');
  const bus = await createSqliteBus({ path, log: silentLogger(), clock });
  onTestFinished(() => bus.close());
  return bus;
}

export async function controlOn(
  bus: Bus,
  {
    gate = null,
    bounds,
    mandatesFile = null,
  }: {
    gate?: GateDocument | null;
    bounds?: Partial<ThreadBounds>;
    mandatesFile?: Control['mandatesFile'];
  } = {},
) {
  let nowMs = NOW_MS;
  const clock = () => nowMs;
  const followed = await followControl({ bus, log: silentLogger() });
  onTestFinished(() => followed.stop());
  const { revision } = followed;
  // Only a test with bounds needs a thread that can be ended during a job.
  const start = bounds === undefined ? { start: startInTestThread } : { bounds };
  const apart = openControlThread({ bus, log: silentLogger(), revision, ...start });
  onTestFinished(() => apart.stop());
  const server = await createHttpServer({
    service: 'control',
    version: '1',
    log: silentLogger(),
    metrics: createMetrics({ service: 'test' }),
    keys: keysWhileOpen(
      anyKeyStore(
        memoryKeyStore(Object.values(KEYS).map(({ record }) => record)),
        keyStoreOf(followed.apiKeys, clock),
      ),
      followed.mandates,
    ),
    readiness: async () => [],
  });
  await mustAnswerAsDescribed(server);
  const reads = recordHttpReads({
    bus,
    source: 'control',
    clock,
    log: silentLogger(),
    redactText: redactPieces,
  });
  await server.register(
    controlRoutes(
      {
        followed,
        controlAt: (of) => controlAt(bus, of),
        apart,
        clock,
        gate: () => gate,
        mandatesFile,
        redaction: () => ({ hash: [], document: NO_PRIVACY }),
        redactText: redactPieces,
        // Returns the keys in the data folder of the plane. They may belong to a tenant that has nothing on the log.
        fileKeys: async (tenant) => ({ filed: [KEYS.owner.record], globex: [OF_HOST] })[tenant] ?? [],
      },
      reads,
    ),
  );
  const { url, stop } = await serveHttp(server, { host: '127.0.0.1', port: 0 });
  onTestFinished(stop);

  async function call(who: Who | null, method: string, path: string, { body, text, headers }: Sent = {}) {
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(who && { authorization: `Bearer ${keyOfWho(who)}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent !== undefined && { body: sent }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: the test checks its shape
    const answer: any = await response.json();
    return { status: response.status, etag: response.headers.get('etag'), body: answer };
  }
  const passes = (ms: number) => {
    nowMs += ms;
  };
  return { call, followed, passes };
}
