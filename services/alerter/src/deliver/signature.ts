/**
 * Returns the headers of a message with its signature by Standard Webhooks 1.0.0: HMAC-SHA256 over id, time and body.
 */
import { createHmac } from 'node:crypto';

/** @param keys one signature is made with each key; a receiver accepts any of the signatures */
export function signedHeaders(
  { id, atMs, body }: { id: string; atMs: number; body: string },
  keys: readonly Buffer[],
): Record<string, string> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
