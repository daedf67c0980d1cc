/**
 * The alerts that were raised, and the state of their delivery to each webhook: a fold of the alerts topic. The book
 * keeps the newest alerts and every alert that is still to be delivered. The log has all of them.
 */
import type { AlertsRecord } from '@mandate/schemas';
import type { Raised } from './rules/alarms.ts';

export type Delivery =
  | { state: 'waiting'; since: string }
  | { state: 'delivered'; attempts: number; status: number; at: string }
  | { state: 'undelivered'; attempts: number; reason: string; at: string };

/** `offset` is the offset of the record on the alerts topic. The book is in this order. */
export type Entry = Raised & { offset: number; deliveries: Map<string, Delivery> };

const KEPT = 10_000;

export class AlertBook {
  readonly #entries = new Map<string, Entry>();
  readonly #waiting = new Set<Entry>();
  readonly #kept: number;

  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** Entries that still wait for a delivery. */
  waiting(): Iterable<Entry> {
    return this.#waiting;
  }

  /** How long the oldest delivery has been waiting; 0 if no delivery waits. */
  oldestWaitingMs(nowMs: number): number {
    let oldestMs = nowMs;
    for (const { deliveries } of this.#waiting) {
      for (const delivery of deliveries.values()) {
        if (delivery.state === 'waiting') oldestMs = Math.min(oldestMs, Date.parse(delivery.since));
      }
    }
    return nowMs - oldestMs;
  }

  /** Entries before the offset `before`, newest first. */
  *newestFirst(before = Number.POSITIVE_INFINITY): Generator<Entry> {
    for (const entry of [...this.#entries.values()].reverse()) if (entry.offset < before) yield entry;
  }

  /** @param at when the record was appended */
  apply(record: AlertsRecord, { offset, at }: { offset: number; at: string }): void {
    switch (record.event) {
      case 'alert.raised':
      case 'alert.cleared': {
        const { alert } = record;
        // Another alerter raised the alert again before it had read the first record. The first record counts.
        if (alert.quiet || this.#entries.has(alert.id)) return;
        this.#add({ ...record, offset, deliveries: new Map(waitingFor(alert.webhooks, at)) });
        return;
      }
      case 'alert.delivered': {
        const { alertId, webhook, ...delivery } = record.delivery;
        this.#set(alertId, webhook, { state: 'delivered', ...delivery });
        return;
      }
      case 'alert.undelivered': {
        const { alertId, webhook, ...delivery } = record.delivery;
        if (this.#entries.get(alertId)?.deliveries.get(webhook)?.state === 'delivered') return;
        this.#set(alertId, webhook, { state: 'undelivered', ...delivery });
        return;
      }
      case 'alert.replayed': {
        const { alertId, webhooks } = record.replay;
        for (const [webhook, delivery] of waitingFor(webhooks, at)) this.#set(alertId, webhook, delivery);
        return;
      }
      case 'alerts.begun':
        return;
    }
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.alert.id, entry);
    this.#note(entry);
    if (this.#entries.size <= this.#kept + this.#waiting.size) return;
    for (const [id, oldest] of this.#entries) {
      if (this.#waiting.has(oldest)) continue;
      this.#entries.delete(id);
      return;
    }
  }

  #set(alertId: string, webhook: string, delivery: Delivery): void {
    const entry = this.#entries.get(alertId);
    if (entry === undefined) return;
    entry.deliveries.set(webhook, delivery);
    this.#note(entry);
  }

  #note(entry: Entry): void {
    const isWaiting = [...entry.deliveries.values()].some(({ state }) => state === 'waiting');
    if (isWaiting) this.#waiting.add(entry);
    else this.#waiting.delete(entry);
  }
}

function waitingFor(webhooks: readonly string[], since: string): [string, Delivery][] {
  return webhooks.map((webhook) => [webhook, { state: 'waiting', since }]);
}
