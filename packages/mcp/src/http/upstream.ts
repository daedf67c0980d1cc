/** Requests to the server behind the proxy. A redirect is passed on and not followed. */
import { Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

/** No byte for this long ends a request. A call that runs longer needs a stream with comments. */
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

  /** Resolves with the answer when its headers have come. */
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
      sent.on('error', reject);
      sent.on('response', resolve);
      sent.end(body ?? undefined);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
