/**
 * Answers of GET routes travel compressed where the client says that it can read that and it is worth it. Large ones
 * are compressed off the event loop, piece by piece, so that a slow reader holds up what is behind it. Never event
 * streams: a compressor keeps events back until it has enough of them.
 */
import compress from '@fastify/compress';
import { beforeSending, isGet } from './conditional-get.ts';
import type { HttpServer } from './http-server-type.ts';

/** Less gains nothing: it fits into one packet as it is. */
const THRESHOLD_BYTES = 1_024;
/** Up to here it costs half to do it at once, a fraction of a millisecond; what is larger must not hold up the others. */
const AT_ONCE_BYTES = 16 * 1_024;

export async function compressAnswers(server: HttpServer): Promise<void> {
  // In front of the plugin's own, which looks at what it says here.
  server.addHook('onRoute', (route) => {
    if (route.method !== 'GET') route.compress = false;
    if (!isGet(route)) return;
    beforeSending(route, (request, reply, payload) => {
      const type = String(reply.getHeader('content-type') ?? '');
      // The plugin holds event streams for text like any other; this is how it is told to leave an answer alone.
      if (type.startsWith('text/event-stream')) request.headers['x-no-compression'] = 'true';
      // Also where it is not compressed: for a cache in between, that too depends on what was asked for.
      else reply.header('vary', [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', '));
      return payload;
    });
  });
  await server.register(compress, {
    threshold: THRESHOLD_BYTES,
    syncThreshold: AT_ONCE_BYTES,
    // Beside what is known to be worth it: rows as an export has them, application/x-ndjson.
    customTypes: /json(?:;|$)/,
    globalDecompression: false,
  });
}
