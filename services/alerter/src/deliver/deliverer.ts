/**
 * Delivers alerts to webhooks, one at a time to each webhook, so a receiver that hangs delays only its own alerts.
 * After a failed attempt an alert waits, and other alerts go first. After too many failed attempts the alert is
 * recorded as `alert.undelivered`. The same happens to a new alert while too many wait. The result of each attempt is
 * on the log before the next attempt, so a crash repeats at most one successful attempt.
 *
 * Kills go before all other alerts and have their own queue. So a flood of one tenant at a shared webhook does not
 * delay a kill. All other alerts wait in a queue that is fair to tenants (webhook-queue.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Logger } from '@mandate/runtime';
import { type AlertsRecord, wireTime } from '@mandate/schemas';
import type { AlertBook } from '../alert-book.ts';
import type { AlerterMeasures } from '../measures.ts';
import { isFor } from '../rules/addressees.ts';
import type { Webhook } from '../rules/webhooks.ts';
import { waitBeforeRetry } from './backoff.ts';
import { postAlert } from './post-alert.ts';
import { type Waiting, WebhookQueue } from './webhook-queue.ts';

export type DelivererOptions = {
  book: AlertBook;
  webhooks: () => readonly Webhook[];
  /** The address of the console, for the links of alerts. null: alerts have no links. */
  consoleUrl: () => string | null;
  /** Resolves once the records are on the log and in the alert book. Rejects only if the whole alerter stops. */
  append(records: readonly AlertsRecord[]): Promise<void>;
  clock: Clock;
  log: Logger;
  measures: AlerterMeasures;
  /** The maximum number of alerts that may wait for one webhook. Kills have a separate count with the same limit. */
  mostWaiting: number;
  random?: () => number;
};

export type Deliverer = {
  /** Starts to deliver an alert to a webhook. Does nothing if this delivery has already started. */
  deliver(alertId: string, webhook: string): void;
  /** Returns how many deliveries wait, for all webhooks together. */
  waiting(): number;
  finished: Promise<never>;
  stop(): Promise<void>;
};

type WebhookQueues = { urgent: WebhookQueue; others: WebhookQueue };

export function createDeliverer(options: DelivererOptions): Deliverer {
  const {
    book,
    webhooks,
    consoleUrl,
    append,
    clock,
    log,
    measures,
    mostWaiting,
    random = Math.random,
  } = options;
  const queuesByWebhook = new Map<string, WebhookQueues>();
  const working = new Map<string, Promise<void>>();
  const woken = new Map<string, () => void>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});

  const endUnlessStopping = (error: unknown) => {
    if (!signal.aborted) failed.reject(error);
  };

  const isWaiting = (alertId: string, webhook: string) =>
    book.get(alertId)?.deliveries.get(webhook)?.state === 'waiting';

  async function giveUp(alertId: string, webhook: string, attempts: number, reason: string): Promise<void> {
    const at = wireTime(clock());
    log.error(
      { alertId, webhook, attempts, reason },
      'an alert was not delivered; mandate alerts replay sends it again',
    );
    measures.deliveries.inc({ webhook, result: 'undelivered' });
    await append([{ event: 'alert.undelivered', delivery: { alertId, webhook, attempts, at, reason } }]);
  }

  /** @returns true if the alert needs no further attempt */
  async function attempt(name: string, waiting: Waiting): Promise<boolean> {
    const { alertId } = waiting;
    const entry = book.get(alertId);
    // Another alerter has delivered the alert, or the book no longer has the alert.
    if (entry === undefined || !isWaiting(alertId, name)) return true;
    const webhook = webhooks().find((known) => known.name === name);
    if (webhook === undefined) {
      await giveUp(alertId, name, waiting.attempts, 'the rule file no longer has this webhook');
      return true;
    }
    if (!isFor(entry.alert, webhook)) {
      // The rule file now gives this webhook name to another tenant, so the alert must not be sent.
      await giveUp(alertId, name, waiting.attempts, 'the webhook is no longer for the tenant of the alert');
      return true;
    }
    if (webhook.format === 'pagerduty' && webhook.cleared && book.isOver(entry)) {
      // PagerDuty may already know the end of the alarm. Nothing would resolve an incident that is opened after it.
      await giveUp(alertId, name, waiting.attempts, 'the alarm was over before PagerDuty had it');
      return true;
    }
    const came = await postAlert(entry, webhook, { atMs: clock(), consoleUrl: consoleUrl(), signal });
    if (signal.aborted && !came.taken) return true;
    waiting.attempts += 1;
    const { attempts } = waiting;
    if (came.taken) {
      const delivery = { alertId, webhook: name, attempts, status: came.status, at: wireTime(clock()) };
      measures.deliveries.inc({ webhook: name, result: 'delivered' });
      await append([{ event: 'alert.delivered', delivery }]);
      return true;
    }
    const { reason, retryAfterMs: askedMs, isGone } = came;
    if (isGone || attempts >= webhook.attempts) {
      await giveUp(alertId, name, attempts, reason);
      return true;
    }
    measures.deliveries.inc({ webhook: name, result: 'failed' });
    log.warn(
      { alertId, webhook: name, attempts, reason },
      'a webhook did not take an alert; it is tried again',
    );
    waiting.dueAtMs = clock() + waitBeforeRetry(attempts, webhook, { random: random(), askedMs });
    return false;
  }

  function deliver(alertId: string, name: string): void {
    const { alert } = book.get(alertId) ?? {};
    if (signal.aborted || alert === undefined) return;
    const queues = queuesByWebhook.get(name) ?? {
      urgent: new WebhookQueue(mostWaiting),
      others: new WebhookQueue(mostWaiting),
    };
    queuesByWebhook.set(name, queues);
    const queue = URGENT.has(alert.rule) ? queues.urgent : queues.others;
    const { tenant } = alert;
    if (queue.has({ tenant, alertId })) return;
    const givesWay = queue.add({ alertId, tenant, attempts: 0, dueAtMs: clock() });
    if (givesWay !== null) {
      const reason = `${mostWaiting} alerts wait for it already`;
      giveUp(givesWay.alertId, name, givesWay.attempts, reason).catch(endUnlessStopping);
    }
    begin(name, queues);
  }

  async function work(name: string, { urgent, others }: WebhookQueues): Promise<void> {
    while (urgent.size + others.size > 0 && !signal.aborted) {
      const nowMs = clock();
      const next = urgent.next(nowMs) ?? others.next(nowMs);
      if (next === undefined) {
        const waitMs = Math.min(urgent.dueAtMs(), others.dueAtMs()) - nowMs;
        const wake = new AbortController();
        woken.set(name, () => wake.abort());
        await sleep(waitMs, undefined, { signal: AbortSignal.any([signal, wake.signal]) }).catch(() => {});
        woken.delete(name);
        continue;
      }
      if (!(await attempt(name, next))) continue;
      for (const queue of [urgent, others]) queue.remove(next);
      // A replay may have been requested while the last attempt ended. The alert then waits again.
      if (isWaiting(next.alertId, name)) deliver(next.alertId, name);
    }
  }

  function begin(name: string, queues: WebhookQueues): void {
    if (working.has(name)) {
      woken.get(name)?.();
      return;
    }
    const ended = work(name, queues).then(() => {
      working.delete(name);
      if (queues.urgent.size + queues.others.size > 0 && !signal.aborted) begin(name, queues);
    }, endUnlessStopping);
    working.set(name, ended);
  }

  return {
    deliver,
    waiting: () =>
      [...queuesByWebhook.values()].reduce((sum, { urgent, others }) => sum + urgent.size + others.size, 0),
    finished: failed.promise,
    async stop() {
      stopping.abort();
      await Promise.all(working.values());
    },
  };
}

const URGENT: ReadonlySet<string> = new Set(['kill', 'revive']);
