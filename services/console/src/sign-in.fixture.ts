/** A server of the console with a real identity provider, and browsers that sign in. For tests. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { followControl } from '@mandate/control-log';
import { type Logger, silentLogger } from '@mandate/runtime';
import { readAccessRecord, readControlRecord, TOPICS } from '@mandate/schemas';
import {
  BrowserSessions,
  createHttpServer,
  createMetrics,
  keysInForce,
  memoryKeyStore,
  serveHttp,
} from '@mandate/server';
import { mustAnswerAsDescribed, temporaryFolder } from '@mandate/testing';
import { startIdentityProvider } from '@mandate/testing/identity-provider';
import { onTestFinished } from 'vitest';
import { consoleRoutes } from './console-routes.ts';
import { openOidcFile } from './oidc/oidc-file.ts';

export const ADDRESS = 'http://127.0.0.1:17420';
const CALLBACK = `${ADDRESS}/v1/signin/oidc/callback`;

const RULES = `
  - claims: { groups: [mandate-admins, owners] }
    role: admin
  - claims: { groups: barred }
    refuse: true
  - claims: { groups: mandate-operators }
    role: operator
  - claims: { groups: globex }
    tenant: globex
    role: viewer
`;

export type Scene = Awaited<ReturnType<typeof openScene>>;

/** @param more further lines of the document */
export async function openScene({ more = '', secret = 'a'.repeat(64) } = {}) {
  const provider = await startIdentityProvider([CALLBACK]);
  onTestFinished(() => provider.stop());
  provider.people.set('ann', { groups: ['staff', 'mandate-operators'], email: 'ann@example.com' });
  provider.people.set('bob', { groups: ['staff'] });
  provider.people.set('eve', { groups: ['mandate-operators', 'barred'] });
  provider.people.set('root', { groups: ['owners'] });
  const folder = temporaryFolder();
  const path = join(folder, 'oidc.yaml');
  const write = (rules = RULES) =>
    writeFileSync(
      path,
      `version: 1
issuer: ${provider.issuer}
clientId: ${provider.client.id}
clientSecret: { env: CLIENT_SECRET }
scopes: [groups, email]
label: Sign in with the test
url: ${ADDRESS}
timeoutMs: 1000
${more}
rules:${rules}`,
    );
  write();
  const bus = await createSqliteBus({ path: join(folder, 'log.sqlite'), log: silentLogger() });
  onTestFinished(() => bus.close());
  const lines: string[] = [];
  const server = await openServer();

  /** Opens a server on the same log. A restarted server and a second one are both such a server. */
  async function openServer({ secret: own = secret, hasFile = true } = {}) {
    let skewMs = 0;
    const clock = () => Date.now() + skewMs;
    const log = noting(lines);
    const followed = await followControl({ bus, log });
    onTestFinished(() => followed.stop());
    const oidcFile = openOidcFile(hasFile ? { CONSOLE_OIDC_PATH: path } : {}, {
      folder: { oidc: join(folder, 'absent.yaml') },
      env: { CLIENT_SECRET: provider.client.secret },
      log,
    });
    onTestFinished(() => oidcFile.stop());
    const sessions = new BrowserSessions(own);
    const http = await createHttpServer({
      ...{ service: 'console', version: '1', log, metrics: createMetrics({ service: 'test' }), clock },
      keys: keysInForce(followed, memoryKeyStore([])),
      sessions,
      readiness: async () => [],
    });
    await mustAnswerAsDescribed(http);
    await http.register(
      consoleRoutes({
        ...{ sessions, secret: own, followed, oidcFile, ownUrl: () => null },
        ...{ bus, clock, log, recordReads: true },
      }),
    );
    // A grave route, as the routes that issue keys and forget people are.
    await http.register(async (own) => {
      own.post('/v1/grave', { config: { scope: ['operate', 'admin'], grave: true } }, () => ({ done: true }));
    });
    const { url, stop } = await serveHttp(http, { host: '127.0.0.1', port: 0 });
    onTestFinished(stop);
    return {
      url,
      followed,
      oidcFile,
      stop,
      passes(ms: number) {
        skewMs += ms;
      },
    };
  }

  async function recordsOf<T>(topic: string, read: (value: Uint8Array) => T): Promise<T[]> {
    const found: T[] = [];
    const reader = await bus.read({
      topics: [topic],
      from: 'earliest',
      onRecords: (batch) => void found.push(...batch.map(({ value }) => read(value))),
    });
    await reader.caughtUp;
    await reader.stop();
    return found;
  }
  return {
    provider,
    server,
    openServer,
    write,
    lines,
    /** The keys that were issued and revoked, in order. */
    controlRecords: () => recordsOf(TOPICS.control, readControlRecord),
    accessRecords: () => recordsOf(TOPICS.access, readAccessRecord),
    browser: (at: { url: string } = server) => new TestBrowser(at.url),
  };
}

/** Follows redirects one at a time, keeps the cookies of each server, and runs no script. */
export class TestBrowser {
  readonly url: string;
  readonly cookies = new Map<string, Map<string, string>>();

  constructor(url: string) {
    this.url = url;
  }

  /** Asks for an address, or for a path of the console. The answer may be a redirect. */
  async open(address: string, init: RequestInit = {}) {
    const target = new URL(address.replace(ADDRESS, this.url), this.url);
    const jar = this.cookies.get(target.host) ?? new Map<string, string>();
    this.cookies.set(target.host, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(target, {
      ...init,
      redirect: 'manual',
      headers: { ...(cookie !== '' && { cookie }), ...init.headers },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    const location = response.headers.get('location');
    return {
      status: response.status,
      location: location === null ? null : new URL(location, target).href.replace(this.url, ADDRESS),
      rawLocation: location,
      cookies: response.headers.getSetCookie(),
      text: await response.text(),
    };
  }

  /** Begins a sign-in, and returns the address at the provider. */
  async begin(query = ''): Promise<URL> {
    const { status, location } = await this.open(`/v1/signin/oidc${query}`);
    if (status !== 303 || location === null) throw new Error(`the sign-in did not begin: ${status}`);
    return new URL(location);
  }

  /** Signs in at the provider, and returns the address to which it sends the browser back. */
  async prove(at: URL, name: string): Promise<URL> {
    let address = at.href;
    for (let steps = 0; steps < 10; steps += 1) {
      const asked = await this.open(address);
      if (asked.location?.startsWith(ADDRESS)) return new URL(asked.location);
      if (asked.location !== null) address = asked.location;
      else if (asked.text.includes('<form')) {
        const body = new URLSearchParams({ name });
        const sent = await this.open(address, { method: 'POST', body });
        if (sent.location === null) throw new Error(`the provider answers ${sent.status}: ${sent.text}`);
        if (sent.location.startsWith(ADDRESS)) return new URL(sent.location);
        address = sent.location;
      } else throw new Error(`the provider answers ${asked.status}: ${asked.text}`);
    }
    throw new Error('the provider redirects without an end');
  }

  /** Signs in from beginning to end, and returns the answer of the callback. */
  async signIn(name: string, query = '') {
    const callback = await this.prove(await this.begin(query), name);
    return this.open(callback.href);
  }

  /** Returns who is signed in, or the status of the refusal. */
  async session() {
    const { status, text } = await this.open('/v1/session');
    return status === 200 ? JSON.parse(text) : status;
  }
}

function noting(lines: string[]): Logger {
  const note = (...said: unknown[]) => void lines.push(JSON.stringify(said));
  const silent = silentLogger();
  const log: Logger = Object.assign(Object.create(silent), { warn: note, error: note, child: () => log });
  return log;
}
