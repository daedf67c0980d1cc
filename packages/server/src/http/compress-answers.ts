/**
 * Compresses answers of GET routes for clients that accept it. Small answers are not compressed. Large answers are
 * compressed off the event loop, in pieces, at the speed of the client. Event streams are never compressed, because a
 * compressor delays events.
 */
import compress from '@fastify/compress';
import { beforeSending, isGet } from './conditional-get.ts';
import type { HttpServer } from './http-server-type.ts';

/** Smaller answers are not compressed, because they fit into one packet anyway. */
const THRESHOLD_BYTES = 1_024;
/** Smaller answers are compressed synchronously, at half the cost. Larger answers would delay other requests. */
const AT_ONCE_BYTES = 16 * 1_024;

export async function compressAnswers(server: HttpServer): Promise<void> {
  // This hook must come before the hook of the plugin, which reads the value that this hook sets.
  server.addHook('onRoute', (route) => {
    if (route.method !== 'GET') route.compress = false;
    if (!isGet(route)) return;
    beforeSending(route, (request, reply, payload) => {
      const type = String(reply.getHeader('content-type') ?? '');
      // This header stops the plugin from compressing an event stream. Otherwise events would wait in its buffer.
      if (type.startsWith('text/event-stream')) request.headers['x-no-compression'] = 'true';
      // The header is also set on uncompressed answers. A cache must know that the answer depends on
      // `accept-encoding`.
      else reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '));
      return payload;
    });
  });
  await server.register(compress, {
    threshold: THRESHOLD_BYTES,
    syncThreshold: AT_ONCE_BYTES,
    // Adds application/x-ndjson (rows of an export) to the types that the plugin compresses.
    customTypes: /json(?:;|$)/,
    globalDecompression: false,
  });
}
