import { once } from 'node:events';
import { createServer, type ListenOptions } from 'node:net';
import type { Running } from '@mandate/runtime';
import { MandateError } from '@mandate/runtime';
import type { HttpServer } from './http-server-type.ts';
import { SharedPortServer } from './shared-port-server.ts';

/** Reasons why the system refuses to listen, with a remedy for the person who starts the process. */
const LISTEN_FAULTS: ReadonlyMap<unknown, readonly [why: string, remedy: string]> = new Map([
  ['EADDRINUSE', ['another process listens there', 'Stop that process, or choose another port.']],
  ['EACCES', ['this user may not use that port', 'Choose a port from 1024 on.']],
  ['EADDRNOTAVAIL', ['this machine has no such address', 'Use 127.0.0.1, or 0.0.0.0 for every address.']],
  ['ENOTFOUND', ['no address is known for that host', 'Use 127.0.0.1, or 0.0.0.0 for every address.']],
]);

/**
 * The number of connections that may wait in the system until the process accepts them. If the queue is full, the
 * system drops the next connection, and its client retries after 1 s, 3 s and 7 s. With Node's default of 511, a
 * thousand simultaneous connections delayed an operator's kill by 9 s. The system lowers the number to its own limit
 * (Linux: `net.core.somaxconn`).
 */
const WAITING_CONNECTIONS = 16_384;

/**
 * The number of listening sockets. Linux spreads connections over all sockets of a port. On other systems a port has
 * one.
 */
const LISTENING_SOCKETS = process.platform === 'linux' ? 256 : 1;

/** @returns the address of the server, such as `http://127.0.0.1:8080`; port 0 takes any free port */
export async function listen(server: HttpServer, at: { host: string; port: number }): Promise<string> {
  const { host } = at;
  const options = { host, backlog: WAITING_CONNECTIONS, reusePort: LISTENING_SOCKETS > 1 };
  try {
    if (at.port !== 0) await mustBeFree(at);
    await server.listen({ ...options, port: at.port });
    const port = portOf(server, at);
    for (let nth = 1; nth < LISTENING_SOCKETS; nth += 1)
      await addListeningSocket(server, { ...options, port });
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  } catch (cause) {
    throw listenError(at, cause);
  }
}

function portOf({ server }: HttpServer, at: { port: number }): number {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : at.port;
}

async function addListeningSocket({ server }: HttpServer, options: ListenOptions): Promise<void> {
  if (server instanceof SharedPortServer) await server.addListeningSocket(options);
}

/**
 * Throws if the port is in use. A socket that shares its port would also share it with another process, such as a
 * second plane.
 */
async function mustBeFree(at: { host: string; port: number }): Promise<void> {
  const probe = createServer().listen(at);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

/**
 * Starts to listen and returns the server. When it stops, running requests may finish within `drainMs`. Default
 * 5,000.
 */
export async function serveHttp(
  server: HttpServer,
  { drainMs = 5_000, ...at }: { host: string; port: number; drainMs?: number },
): Promise<Running & { url: string }> {
  const url = await listen(server, at);
  server.log.info({ url }, 'listening');
  return {
    url,
    stop: async () => {
      const impatience = setTimeout(() => server.server.closeAllConnections(), drainMs);
      try {
        await server.close();
      } finally {
        clearTimeout(impatience);
      }
    },
  };
}

function listenError({ host, port }: { host: string; port: number }, cause: unknown): MandateError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const [why, remedy] = LISTEN_FAULTS.get(code) ?? ['the system refused', 'Look at the cause in the log.'];
  return new MandateError('LISTEN_FAILED', `cannot listen at ${host}:${port}: ${why}`, { remedy, cause });
}
