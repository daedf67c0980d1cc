/** Makes one attempt to deliver an alert: a signed POST. Returns the result. Never throws. */

import type { Raised } from '../rules/alarms.ts';
import type { Webhook } from '../rules/alert-rules.ts';
import { retryAfterMs } from './retry-after.ts';
import { signedHeaders } from './signature.ts';

export type Attempt =
  | { taken: true; status: number }
  /**
   * `retryAfterMs` is the wait that the receiver asks for. `isGone`: the receiver accepts no more alerts (status
   * 410).
   */
  | { taken: false; reason: string; retryAfterMs: number | null; isGone: boolean };

/** @param signal aborts when the alerter stops; the attempt then counts as failed */
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
      // A redirect counts as a failure, because it would send the alert to a URL that the operator did not choose.
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

/** Returns why a fetch failed. The reason is in the error's cause, not in the error itself. */
function sayCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return `it cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`;
}
