/**
 * Makes a span for every request that needs a key, and adds the trace id to every log line of a request. Health and
 * metrics routes have no span, because they are public and called all the time.
 */

import type { Span, Tracer } from '@mandate/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readTraceparent } from '../tracing/traceparent.ts';
import type { HttpServer } from './http-server-type.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request. Null if the request is not traced. */
    span: Span | null;
  }
}

/**
 * Adds the tracing to a server. Call it right after `addRequestContext`, so that requests refused for their key or
 * their rate are traced too.
 */
export function traceRequests(server: HttpServer, tracer: Tracer | null): void {
  server.decorateRequest('span', null);
  server.addHook('onRequest', (request, reply, done) => {
    const { config } = request.routeOptions;
    if (tracer !== null && !request.is404 && config.public !== true) beginSpan(tracer, request, reply);
    if (request.traceparent !== null) {
      const traceId = readTraceparent(request.traceparent)?.traceId;
      request.log = request.log.child({ traceId });
      reply.log = request.log;
    }
    done();
  });
}

function beginSpan(tracer: Tracer, request: FastifyRequest, reply: FastifyReply): void {
  const { method } = request;
  const route = request.routeOptions.url ?? '';
  const span = tracer.begin(`${method} ${route}`, request.traceparent, {
    kind: 'server',
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'url.scheme': request.protocol,
      'mandate.request.id': request.id,
    },
  });
  request.span = span;
  request.traceparent = span.traceparent;
  // The event also occurs if the caller hangs up before the answer.
  reply.raw.once('close', () => {
    const { statusCode, headersSent } = reply.raw;
    if (request.principalKey !== null) span.set({ 'mandate.tenant': request.principalKey.tenant });
    if (headersSent) span.set({ 'http.response.status_code': statusCode });
    // If a caller leaves a stream, the answer has already begun. So this is not a failure.
    if (!headersSent) span.fail(faultNamed('aborted'));
    else if (statusCode >= 500) span.fail(faultNamed(String(statusCode)));
    span.end();
  });
}

function faultNamed(name: string): Error {
  return Object.assign(new Error(name), { name });
}
