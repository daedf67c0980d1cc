/** Sets the data of every request and the headers of every answer, before any handler gets the request. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HttpProblem } from './http-problem.ts';
import type { HttpServer } from './http-server-type.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;
/** W3C Trace Context, version 00. A trace or span id with zeros only is invalid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

export const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The W3C trace context to pass on: of the request's own span, or else the caller's header if it is well-formed.
     */
    traceparent: string | null;
  }
}

/** Returns the caller's request id if it is valid, and otherwise a new id. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

export function addRequestContext(server: HttpServer): void {
  let stopping = false;
  server.addHook('preClose', async () => {
    stopping = true;
  });
  server.decorateRequest('traceparent', null);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(SECURITY_HEADERS);
    const { traceparent } = request.headers;
    if (typeof traceparent === 'string' && TRACEPARENT.test(traceparent)) request.traceparent = traceparent;
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw new HttpProblem(400, 'INVALID_REQUEST', 'the header host is missing', { remedy: 'Send it.' });
    }
    if (stopping) throw isStopping();
    done();
  });
}

export function isStopping(): HttpProblem {
  return new HttpProblem(503, 'STOPPING', 'this server is stopping', {
    remedy: 'Try again. Another instance answers, or this one after its restart.',
    headers: { 'retry-after': '1', connection: 'close' },
  });
}
