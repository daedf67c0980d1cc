/**
 * Sends a request to another server, over connections that stay open between requests. Every wait has a time-out. A
 * connection that the upstream closed while it was idle is replaced once, unless the request must not be sent twice.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { outsideRequests } from '@mandate/runtime';

type UpstreamRequest = {
  url: URL;
  /** The path with its query, which is sent unchanged. Default: as `url` has it. */
  path?: string;
  method: string;
  /** Names and values in turn. */
  headers: readonly string[];
  /** Null: the request has none. */
  body: Uint8Array | null;
  times: { connectMs: number; firstByteMs: number };
  /** False if the request must not be sent again. Default: true. */
  mayRepeat?: boolean;
  /** Cancels the request and its answer. */
  signal: AbortSignal;
};

export type Upstreams = {
  /** Resolves when the headers of the answer have come. Rejects with the error of the connection. */
  send(request: UpstreamRequest): Promise<IncomingMessage>;
  close(): void;
};

/** How long an unused connection stays open. */
const IDLE_CONNECTION_MS = 30_000;
const MOST_IDLE_CONNECTIONS = 256;

/** An upstream that takes too long. `code` is a code of a connection that was never opened, if nothing was sent. */
class TooSlow extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export function openUpstreams(): Upstreams {
  const kept = { keepAlive: true, maxFreeSockets: MOST_IDLE_CONNECTIONS, timeout: IDLE_CONNECTION_MS };
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) };
  return {
    async send(request) {
      try {
        return await sendOnce(request, agents);
      } catch (error) {
        if (!(error instanceof StaleConnection) || request.signal.aborted) throw error;
        if (request.mayRepeat === false) throw error;
        return sendOnce(request, null);
      }
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** The upstream closed a connection before it read a byte of this request. */
class StaleConnection extends Error {}

type Agents = { http: HttpAgent; https: HttpsAgent };

/** @param agents null: over a connection of its own */
function sendOnce(
  { url, path, method, headers, body, times, signal }: UpstreamRequest,
  agents: Agents | null,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // The connection outlives the request of the client, because later calls use it too.
  outsideRequests(() => {
    const isSecure = url.protocol === 'https:';
    const options = { method, headers: [...headers], signal, ...(path !== undefined && { path }) };
    const request = isSecure
      ? httpsRequest(url, { ...options, agent: agents?.https ?? false })
      : httpRequest(url, { ...options, agent: agents?.http ?? false });
    const late = (code: string, message: string) => () => request.destroy(new TooSlow(code, message));
    let timer = setTimeout(
      late('UND_ERR_CONNECT_TIMEOUT', `no connection within ${times.connectMs} ms`),
      times.connectMs,
    );
    const connected = () => {
      clearTimeout(timer);
      timer = setTimeout(late('ETIMEDOUT', `no answer within ${times.firstByteMs} ms`), times.firstByteMs);
    };
    request.once('socket', (socket) => {
      if (!socket.connecting) connected();
      else socket.once(isSecure ? 'secureConnect' : 'connect', connected);
    });
    request.once('response', (answer) => {
      clearTimeout(timer);
      // The reader of the answer gets its errors. This listener is for an error after the reader has left.
      answer.on('error', () => {});
      resolve(answer);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      const isReset = error.code === 'ECONNRESET' || error.code === 'EPIPE';
      reject(request.reusedSocket && isReset ? new StaleConnection('stale', { cause: error }) : error);
    });
    request.end(body ?? undefined);
  });
  return promise;
}
