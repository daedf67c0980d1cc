/**
 * The alerts that wait for one webhook, fair to tenants. Tenants take turns. If the queue is full, the tenant with
 * the most alerts loses its newest alert, so a flood of one tenant leaves room for the other tenants.
 */
export type Waiting = {
  readonly alertId: string;
  /** The tenant of the alert. Null for alerts about the whole plane. */
  readonly tenant: string | null;
  attempts: number;
  dueAtMs: number;
};

export class WebhookQueue {
  readonly #most: number;
  /** The alerts by tenant and alert id, in the order of their arrival. The first tenant has the next turn. */
  readonly #tenants = new Map<string | null, Map<string, Waiting>>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  has({ tenant, alertId }: Pick<Waiting, 'tenant' | 'alertId'>): boolean {
    return this.#tenants.get(tenant)?.has(alertId) ?? false;
  }

  /**
   * Adds an alert that is not in the queue. @returns the alert that was removed because the queue was full, or null
   */
  add(waiting: Waiting): Waiting | null {
    const own = this.#tenants.get(waiting.tenant) ?? new Map<string, Waiting>();
    this.#tenants.set(waiting.tenant, own);
    own.set(waiting.alertId, waiting);
    this.#size += 1;
    if (this.#size <= this.#most) return null;
    let most = own;
    for (const other of this.#tenants.values()) if (other.size > most.size) most = other;
    const givesWay = [...most.values()].at(-1) ?? waiting;
    this.remove(givesWay);
    return givesWay;
  }

  remove({ tenant, alertId }: Waiting): void {
    const own = this.#tenants.get(tenant);
    if (own?.delete(alertId)) this.#size -= 1;
    if (own?.size === 0) this.#tenants.delete(tenant);
  }

  /**
   * Returns the first due alert of the first tenant that has a due alert. The alert stays in the queue, and the
   * tenant moves to the end of the order of turns.
   */
  next(nowMs: number): Waiting | undefined {
    for (const [tenant, own] of this.#tenants) {
      const first = soonest(own.values());
      if (first === undefined || first.dueAtMs > nowMs) continue;
      this.#tenants.delete(tenant);
      this.#tenants.set(tenant, own);
      return first;
    }
    return undefined;
  }

  /** Returns when the next alert is due; Infinity if the queue is empty. */
  dueAtMs(): number {
    let dueAtMs = Number.POSITIVE_INFINITY;
    for (const own of this.#tenants.values()) {
      dueAtMs = Math.min(dueAtMs, soonest(own.values())?.dueAtMs ?? dueAtMs);
    }
    return dueAtMs;
  }
}

function soonest(waiting: Iterable<Waiting>): Waiting | undefined {
  let first: Waiting | undefined;
  for (const one of waiting) if (first === undefined || one.dueAtMs < first.dueAtMs) first = one;
  return first;
}
