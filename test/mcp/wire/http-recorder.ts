/**
 * A relay that passes HTTP on byte for byte and records every exchange. A client that talks through a recorder leaves
 * two recordings, one with the proxy and one without. They must be equal.
 */
import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Exchange = {
  readonly method: string;
  readonly path: string;
  readonly sent: { headers: IncomingHttpHeaders; body: Buffer };
  /** Null until the server has answered. */
  answer: { status: number; headers: IncomingHttpHeaders; chunks: Buffer[]; isComplete: boolean } | null;
};

/** Changes what a relay passes on, for tests that a harness finds such a change. */
export type Distort = {
  request?(body: Buffer): Buffer;
  chunk?(chunk: Buffer): Buffer;
  refuse?(method: string): number | undefined;
};

export type HttpRecorder = AsyncDisposable & { url: string; exchanges: readonly Exchange[] };

export async function recordHttp(upstream: string, distort: Distort = {}): Promise<HttpRecorder> {
  const exchanges: Exchange[] = [];
  const target = new URL(upstream);
  const server = createServer((request, response) => void relay(request, response));

  async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const { method = 'GET', url = '/' } = request;
    const exchange: Exchange = { method, path: url, sent: { headers: request.headers, body }, answer: null };
    exchanges.push(exchange);
    const refused = distort.refuse?.(method);
    if (refused !== undefined) {
      response.writeHead(refused).end();
      return;
    }
    const onward = httpRequest({
      host: target.hostname,
      port: target.port,
      path: url,
      method,
      headers: request.headers,
    });
    response.once('close', () => onward.destroy());
    onward.on('error', () => response.destroy());
    onward.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0;
      const answer = { status, headers: incoming.headers, chunks: [] as Buffer[], isComplete: false };
      exchange.answer = answer;
      response.writeHead(status, incoming.rawHeaders);
      response.flushHeaders();
      incoming.on('data', (chunk: Buffer) => {
        const passed = distort.chunk?.(chunk) ?? chunk;
        answer.chunks.push(passed);
        response.write(passed);
      });
      incoming.once('end', () => {
        answer.isComplete = true;
        response.end();
      });
      incoming.on('error', () => response.destroy());
    });
    onward.end(distort.request?.(body) ?? body);
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  const ownHost = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${ownHost}${target.pathname}`,
    exchanges,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
