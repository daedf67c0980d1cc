/**
 * Compresses answers of GET routes for clients that accept it. Small answers are not worth it. Large answers are
 * compressed off the event loop, piece by piece, and no faster than the client reads. Event streams are never
 * compressed, because a compressor keeps events back until it has enough of them.
 */
import compress from '@fastify/compress';
import { beforeSending, isGet } from './conditional-get.ts';
import type { HttpServer } from './http-server-type.ts';

/** A smaller answer fits into one packet without compression. */
const THRESHOLD_BYTES = 1_024;
/** Smaller answers are compressed at once, at half the cost. Larger ones must not delay other requests. */
const AT_ONCE_BYTES = 16 * 1_024;

export async function compressAnswers(server: HttpServer): Promise<void> {
  // This hook comes before the hook of the plugin, which reads what this one sets.
  server.addHook('onRoute', (route) => {
    if (route.method !== 'GET') route.compress = false;
    if (!isGet(route)) return;
    beforeSending(route, (request, reply, payload) => {
      const type = String(reply.getHeader('content-type') ?? '');
      // Without this header the plugin compresses an event stream, as it does with any text, and events wait in its buffer.
      if (type.startsWith('text/event-stream')) request.headers['x-no-compression'] = 'true';
      // Also on answers that are not compressed, because a cache must know that the answer depends on this header.
      else reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '));
      return payload;
    });
  });
  await server.register(compress, {
    threshold: THRESHOLD_BYTES,
    syncThreshold: AT_ONCE_BYTES,
    // Adds rows of an export, application/x-ndjson, to the types that the plugin knows.
    customTypes: /json(?:;|$)/,
    globalDecompression: false,
  });
}
