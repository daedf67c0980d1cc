/** Opens the proxy for clients that speak streamable HTTP. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DeferredCalls } from '../govern/deferred-calls.ts';
import { ParkedCalls } from '../govern/parked-calls.ts';
import { createSeal } from '../govern/sealed-state.ts';
import { Session } from '../govern/session.ts';
import type { ProxySettings } from '../govern/settings.ts';
import type { Callers } from './callers.ts';
import { ClientSessions } from './client-session.ts';
import { HttpProxy } from './http-proxy.ts';
import { Upstream } from './upstream.ts';

export type HttpProxyOptions = {
  host: string;
  /** 0: any free port. */
  port: number;
  upstream: URL;
  callers: Callers;
  settings: ProxySettings;
  /** The maximum length of a body and of an event, in bytes. */
  mostBytes: number;
  /** Whether a call that may be repeated is sent once more if the server gave no answer. */
  repeats: boolean;
  /** Additional names of this host that a client or a web page may use. */
  knownHosts: readonly string[];
  /** Tells the operator. */
  warn(text: string): void;
};

const MOST_SOCKETS = 2_000;
/** How long running requests may go on after the proxy was told to stop. */
const GRACE_MS = 2_000;

export async function startHttpProxy(
  options: HttpProxyOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { host, port, callers, settings } = options;
  const upstream = new Upstream(options.upstream, MOST_SOCKETS);
  const shared = { seal: createSeal(), deferred: new DeferredCalls(), parked: new ParkedCalls() };
  const sessions = new ClientSessions(() => new Session(settings, shared));
  const proxy = new HttpProxy({
    ...{ upstream, callers, sessions, mostBytes: options.mostBytes },
    ...{ warn: options.warn, repeats: options.repeats },
    knownHosts: new Set([host, ...options.knownHosts]),
  });
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) =>
    proxy.take(request, response),
  );
  server.maxConnections = MOST_SOCKETS;
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shown}:${address.port}${options.upstream.pathname}`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      await closed;
      clearTimeout(timer);
      upstream.close();
      await callers.close();
    },
  };
}
