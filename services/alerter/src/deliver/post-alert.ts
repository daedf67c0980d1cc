/**
 * Makes one attempt to deliver an alert in the format of its webhook: a POST, or an e-mail. Returns the result. Never
 * throws.
 */

import type { Raised } from '../rules/alarms.ts';
import type { Webhook } from '../rules/webhooks.ts';
import { alertText } from './alert-text.ts';
import type { Attempt } from './attempt.ts';
import { consoleLink } from './console-link.ts';
import { mailAlert } from './mail-alert.ts';
import { pagerDutyBody } from './pagerduty-body.ts';
import { retryAfterMs } from './retry-after.ts';
import { signedHeaders } from './signature.ts';
import { slackBody } from './slack-body.ts';
import { teamsBody } from './teams-body.ts';

/**
 * @param given.consoleUrl the address of the console for the alert's link, or null
 * @param given.signal aborts when the alerter stops; the attempt then counts as failed
 */
export async function postAlert(
  raised: Raised,
  webhook: Webhook,
  { atMs, consoleUrl, signal }: { atMs: number; consoleUrl: string | null; signal: AbortSignal },
): Promise<Attempt> {
  const link = consoleLink(consoleUrl, raised.alert);
  const { timeoutMs } = webhook;
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = AbortSignal.any([timeout, signal]);
  if (webhook.format === 'email') return mailAlert(raised, alertText(raised, link), webhook, either);
  try {
    const { headers, body } = requestOf(raised, webhook, { atMs, link });
    const answer = await fetch(webhook.url, {
      method: 'POST',
      headers: { ...headers, 'user-agent': 'mandate-alerter' },
      body,
      // A redirect counts as a failure, because it would send the alert to a URL that the operator did not choose.
      redirect: 'manual',
      signal: either,
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

function requestOf(
  raised: Raised,
  webhook: Exclude<Webhook, { format: 'email' }>,
  { atMs, link }: { atMs: number; link: string | null },
): { headers: Record<string, string>; body: string } {
  const headers = { 'content-type': 'application/json' };
  switch (webhook.format) {
    case 'mandate': {
      const { event, alert } = raised;
      const { webhooks: _, quiet: __, ...data } = alert;
      const linked = link === null ? data : { ...data, link };
      const body = JSON.stringify({ type: event, timestamp: alert.at, data: linked });
      return { headers: signedHeaders({ id: alert.id, atMs, body }, webhook.keys), body };
    }
    case 'slack':
      return { headers, body: slackBody(alertText(raised, link)) };
    case 'teams':
      return { headers, body: teamsBody(alertText(raised, link)) };
    case 'pagerduty':
      return { headers, body: pagerDutyBody(raised, alertText(raised, link), webhook.routingKey) };
  }
}

/** Returns why a fetch failed. The reason is in the error's cause, not in the error itself. */
function sayCause(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return `it cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`;
}
