/**
 * Answers of GET routes travel compressed where the client says that it can read that and it is worth it. Large ones
 * are compressed off the event loop, piece by piece, so that a slow reader holds up what is behind it. Never event
 * streams: a compressor keeps events back until it has enough of them.
 */
import compress from '@fastify/compress';
import { beforeSending, isGet } from './conditional-get.ts';
import type { HttpServer } from './http-server-type.ts';

/** A smaller answer fits into one packet without compression. */
const THRESHOLD_BYTES = 1_024;
/** Smaller answers are compressed at once, at half the cost. Larger ones must not delay other requests. */
const AT_ONCE_BYTES = 16 * 1_024;

export async function compressAnswers(server: HttpServer): Promise<void> {
  // Before the hook of the plugin, which reads what this hook sets.
  server.addHook('onRoute', (route) => {
    if (route.method !== 'GET') route.compress = false;
    if (!isGet(route)) return;
    beforeSending(route, (request, reply, payload) => {
      const type = String(reply.getHeader('content-type') ?? '');
      // The plugin would compress event streams as any text. This header tells it to leave the answer alone.
      if (type.startsWith('text/event-stream')) request.headers['x-no-compression'] = 'true';
      // Also on answers that are not compressed: a cache must know that the answer depends on this header.
      else reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '));
      return payload;
    });
  });
  await server.register(compress, {
    threshold: THRESHOLD_BYTES,
    syncThreshold: AT_ONCE_BYTES,
    // Rows of an export, application/x-ndjson, beside the types that the plugin knows.
    customTypes: /json(?:;|$)/,
    globalDecompression: false,
  });
}
