/**
 * Sends an unchanged answer only once. A GET answered with 200 has a hash of its body as ETag. A client that sends
 * the hash back in If-None-Match gets 304 without a body. The tag is weak, because one body is sent in several
 * encodings. Streams have no tag, because their end is not known yet.
 *
 * Applies only to GET and HEAD routes, and among public routes only to those that ask for it. Answers of health
 * routes are never stored.
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
    // The client may store the answer if it asks each time whether the answer is still valid. A shared cache may not
    // store it.
    const cacheControl = isPublic ? 'no-cache' : 'private, no-cache';
    beforeSending(route, (request, reply, payload) => {
      if (reply.statusCode !== 200 || !isWhole(payload)) return payload;
      const etag = reply.getHeader('etag') ?? `W/"${hash('sha256', payload, 'base64url').slice(0, 27)}"`;
      reply.header('etag', etag).header('cache-control', cacheControl);
      if (!has(request.headers['if-none-match'], String(etag))) return payload;
      reply.code(304).removeHeader('content-type');
      // A later hook removes the body of a HEAD request. A 304 may carry the length of the full body, and no other
      // length.
      return request.method === 'HEAD' ? payload : null;
    });
  });
}

export function isGet({ method }: Pick<RouteOptions, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Puts a hook before the hooks of the route, which compress, or remove the body for HEAD. */
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

/** RFC 9110, 13.1.2: `*`, or a list that contains the same tag. Weakness is ignored. */
function has(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
