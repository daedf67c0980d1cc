/**
 * Decides whether a page of another origin may call this server from a browser. The origin must be on the list. Then
 * the browser may send a key and read the answer. It may never send a cookie: a session is only for pages of this
 * server.
 */
import { z } from 'zod';
import type { HttpServer } from './http-server-type.ts';

/** The setting for the allowed origins of a service: `<AREA>_CORS_ORIGINS`. */
export const corsOrigins = z
  .array(
    z.string().refine((text) => URL.canParse(text) && new URL(text).origin === text && !text.includes('*'), {
      error:
        'is not an origin: give only scheme, host and port, such as https://console.example.com, and never *',
    }),
  )
  .default([])
  .describe(
    'origins of pages that may call from a browser, such as https://console.example.com; none by default',
  );

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const REQUEST_HEADERS = [
  ...['authorization', 'x-api-key', 'content-type', 'idempotency-key', 'if-match', 'if-none-match'],
  ...['last-event-id', 'x-request-id', 'traceparent'],
];
const ANSWER_HEADERS = [
  ...['x-request-id', 'etag', 'location', 'retry-after', 'www-authenticate'],
  ...['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'],
];
const PREFLIGHT_KEPT_S = 600;

/** Allows these origins. Call it before `authenticate`, because a preflight has no key. */
export async function allowOrigins(server: HttpServer, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  const { default: cors } = await import('@fastify/cors');
  await server.register(cors, {
    origin: [...origins],
    methods: METHODS,
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: ANSWER_HEADERS,
    maxAge: PREFLIGHT_KEPT_S,
    // With `true`, an OPTIONS request that is not a preflight would get plain text instead of a problem document.
    strictPreflight: false,
  });
}
