/** Requests to the server behind the proxy. A redirect is passed on and not followed. */
import { Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

/** The errors of a connection that was refused, or that ended too early. */
const LOST: ReadonlySet<unknown> = new Set([
  ...['ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'],
  ...['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'],
]);

/** The connection was lost before the first byte of the answer. */
export class ConnectionLost extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'ConnectionLost';
  }
}

/** How long opening a connection may take. */
const CONNECT_MS = 30_000;
/** A request ends if no byte arrives for this time. A call that runs longer needs a stream with comments. */
const IDLE_MS = 15 * 60_000;

export type UpstreamRequest = {
  method: string;
  /** The path with its query. */
  path: string;
  /** Names and values in turn. */
  headers: readonly string[];
  body: Uint8Array | null;
  signal: AbortSignal;
};

export class Upstream {
  readonly url: URL;
  readonly #agent: Agent;

  constructor(url: URL, maxSockets: number) {
    this.url = url;
    const options = { keepAlive: true, maxSockets };
    this.#agent = url.protocol === 'https:' ? new SecureAgent(options) : new Agent(options);
  }

  /**
   * Resolves with the answer when its headers have arrived.
   *
   * @throws ConnectionLost, or another error
   */
  send({ method, path, headers, body, signal }: UpstreamRequest): Promise<IncomingMessage> {
    const { protocol, hostname, port, host } = this.url;
    const start = protocol === 'https:' ? secureRequest : plainRequest;
    return new Promise((resolve, reject) => {
      const length = body === null ? [] : ['content-length', String(body.length)];
      const sent = start({
        ...{ method, path, signal, agent: this.#agent },
        hostname: hostname.replace(/^\[|\]$/g, ''),
        ...(port !== '' && { port }),
        headers: ['host', host, ...headers, ...length],
        timeout: IDLE_MS,
      });
      sent.on('timeout', () =>
        sent.destroy(new Error(`The server sent nothing for ${IDLE_MS / 60_000} minutes.`)),
      );
      // The connection may have served other requests before this one.
      let bytesRead = () => 0;
      sent.on('socket', (socket) => {
        const before = socket.bytesRead;
        bytesRead = () => socket.bytesRead - before;
      });
      sent.on('error', (error: NodeJS.ErrnoException) =>
        reject(LOST.has(error.code) && bytesRead() === 0 ? new ConnectionLost(error) : error),
      );
      sent.once('socket', (socket) => {
        if (!socket.connecting) return;
        const timer = setTimeout(
          () => sent.destroy(new Error(`No connection to the server in ${CONNECT_MS / 1_000} s.`)),
          CONNECT_MS,
        );
        for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(timer));
      });
      sent.on('response', resolve);
      sent.end(body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
