/**
 * Sends an unchanged answer only once. A GET answered with 200 has a hash of its body as ETag. A client that sends
 * the hash back in If-None-Match gets 304 without a body. The tag is weak, because one body is sent in several
 * encodings. Streams have no tag, because their content is not known yet.
 *
 * Applies only to GET and HEAD routes. Public routes must ask for it. Answers of health routes are never stored.
 */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { HttpServer } from './http-server-type.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a public route: true if all callers get the same answer until the next release. */
    fixed?: boolean;
  }
}

export function answerConditionally(server: HttpServer): void {
  server.addHook('onRoute', (route) => {
    if (!isGet(route)) return;
    const { public: isPublic = false, fixed = false } = route.config ?? {};
    if (isPublic && !fixed) return;
    // The client may store the answer, but must ask each time if the answer is still valid. A shared cache may not
    // store answers of routes with a key.
    const cacheControl = isPublic ? 'no-cache' : 'private, no-cache';
    beforeSending(route, (request, reply, payload) => {
      if (reply.statusCode !== 200 || !isWhole(payload)) return payload;
      const etag = reply.getHeader('etag') ?? `W/"${hash('sha256', payload, 'base64url').slice(0, 27)}"`;
      reply.header('etag', etag).header('cache-control', cacheControl);
      if (!has(request.headers['if-none-match'], String(etag))) return payload;
      reply.code(304).removeHeader('content-type');
      // For HEAD a later hook removes the body. A 304 may contain the length of the full body, and no other length.
      return request.method === 'HEAD' ? payload : null;
    });
  });
}

export function isGet({ method }: Pick<RouteOptions, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Adds a hook before the route's other hooks, which compress the body or remove it for HEAD. */
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

/**
 * True if the header is `*`, or a list that contains the same tag (RFC 9110, 13.1.2). Ignores whether a tag is weak.
 */
function has(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}

function opaque(tag: string): string {
  return tag.trim().replace(/^W\//, '');
}
