/**
 * The alerts that were raised, and the state of their delivery to each webhook, computed from the alerts topic. The
 * book keeps the newest alerts and every alert with a delivery that waits. The log has all alerts.
 */
import type { AlertsRecord } from '@mandate/schemas';
import type { Raised } from './rules/alarms.ts';

export type Delivery =
  | { state: 'waiting'; since: string }
  | { state: 'delivered'; attempts: number; status: number; at: string }
  | { state: 'undelivered'; attempts: number; reason: string; at: string };

/** An alert in the book. `offset` is the offset of its record on the alerts topic. The book is ordered by offset. */
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

  /** True if the book has the end of the alarm that the alert raised. */
  isOver({ event, alert: { rule, tenant, subject, episode } }: Raised): boolean {
    if (event === 'alert.cleared') return false;
    for (const { event: later, alert } of this.#entries.values()) {
      if (later !== 'alert.cleared' || alert.subject !== subject || alert.episode !== episode) continue;
      if (alert.rule === rule && alert.tenant === tenant) return true;
    }
    return false;
  }

  /** Returns the entries with a delivery that waits. */
  waiting(): Iterable<Entry> {
    return this.#waiting;
  }

  /** Returns how long the oldest delivery has waited, in milliseconds; 0 if no delivery waits. */
  oldestWaitingMs(nowMs: number): number {
    let oldestMs = nowMs;
    for (const { deliveries } of this.#waiting) {
      for (const delivery of deliveries.values()) {
        if (delivery.state === 'waiting') oldestMs = Math.min(oldestMs, Date.parse(delivery.since));
      }
    }
    return nowMs - oldestMs;
  }

  /** Yields the entries before the offset `before`, newest first. */
  *newestFirst(before = Number.POSITIVE_INFINITY): Generator<Entry> {
    for (const entry of [...this.#entries.values()].reverse()) if (entry.offset < before) yield entry;
  }

  /** @param at when the record was appended to the log */
  apply(record: AlertsRecord, { offset, at }: { offset: number; at: string }): void {
    switch (record.event) {
      case 'alert.raised':
      case 'alert.cleared': {
        const { alert } = record;
        // The alert may be on the log twice, if another alerter had not read the first record. The first record
        // counts.
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
      case 'tenant.reconciled':
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
