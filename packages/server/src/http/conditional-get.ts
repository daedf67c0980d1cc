/**
 * An unchanged answer is not sent again: a GET answered with 200 has a hash of its body as ETag, and a client that
 * sends that back in If-None-Match gets 304 without a body. The tag is weak, for one body goes out under several
 * encodings. Streams have none, because their end is not known yet.
 *
 * Only GET and HEAD routes pay for it, and of the public ones those that say so: what health routes answer is never
 * kept.
 */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { HttpServer } from './http-server-type.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a public route: all callers get the same answer until the next release. */
    fixed?: boolean;
  }
}

export function answerConditionally(server: HttpServer): void {
  server.addHook('onRoute', (route) => {
    if (!isGet(route)) return;
    const { public: isPublic = false, fixed = false } = route.config ?? {};
    if (isPublic && !fixed) return;
    // The client may keep the answer if it asks each time whether it is still valid. No cache on the way may keep it.
    const cacheControl = isPublic ? 'no-cache' : 'private, no-cache';
    beforeSending(route, (request, reply, payload) => {
      if (reply.statusCode !== 200 || !isWhole(payload)) return payload;
      const etag = reply.getHeader('etag') ?? `W/"${hash('sha256', payload, 'base64url').slice(0, 27)}"`;
      reply.header('etag', etag).header('cache-control', cacheControl);
      if (!has(request.headers['if-none-match'], String(etag))) return payload;
      reply.code(304).removeHeader('content-type');
      // A later hook removes the body of a HEAD request. A 304 may carry the length of the full body, and no other.
      return request.method === 'HEAD' ? payload : null;
    });
  });
}

export function isGet({ method }: Pick<RouteOptions, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Puts a hook in front of those that the route has: they compress, or take the body off for HEAD. */
export function beforeSending(
  route: RouteOptions,
  change: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => unknown,
): void {
  route.onSend = [
    (request, reply, payload, done) => done(null, change(request, reply, payload)),
    ...[route.onSend ?? []].flat(),
  ];
}

function isWhole(payload: unknown): payload is string | Buffer {
  return typeof payload === 'string' || Buffer.isBuffer(payload);
}

/** RFC 9110, 13.1.2: `*`, or a list of which one is the same but for its weakness. */
function has(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
