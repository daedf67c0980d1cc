/** One attempt: a signed POST, and what came of it. Never throws. */

import type { Raised } from '../rules/alarms.ts';
import type { Webhook } from '../rules/alert-rules.ts';
import { retryAfterMs } from './retry-after.ts';
import { signedHeaders } from './signature.ts';

export type Attempt =
  | { taken: true; status: number }
  /** `retryAfterMs`: as the receiver asked; `isGone`: it asked for no more. */
  | { taken: false; reason: string; retryAfterMs: number | null; isGone: boolean };

/** @param signal of a stop; the attempt is then as if it had failed */
export async function postAlert(
  { event, alert }: Raised,
  { url, keys, timeoutMs }: Webhook,
  { atMs, signal }: { atMs: number; signal: AbortSignal },
): Promise<Attempt> {
  const { webhooks: _, quiet: __, ...data } = alert;
  const body = JSON.stringify({ type: event, timestamp: alert.at, data });
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...signedHeaders({ id: alert.id, atMs, body }, keys), 'user-agent': 'mandate-alerter' },
      body,
      // Where it was sent is where the operator said; a redirect is a receiver that is not there.
      redirect: 'manual',
      signal: AbortSignal.any([timeout, signal]),
    });
    await answer.body?.cancel();
    const { status } = answer;
    if (answer.ok) return { taken: true, status };
    const askedMs = retryAfterMs(answer.headers.get('retry-after'), atMs);
    return { taken: false, reason: `it answered ${status}`, retryAfterMs: askedMs, isGone: status === 410 };
  } catch (error) {
    const reason = timeout.aborted ? `it did not answer within ${timeoutMs} ms` : sayCause(error);
    return { taken: false, reason, retryAfterMs: null, isGone: false };
  }
}

/** fetch says only that it failed; why stands behind it. */
function sayCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return `it cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`;
}
