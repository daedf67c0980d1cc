/**
 * The alerts that wait for one webhook, of tenants who may not know of each other. They take turns, and where the line is
 * full the tenant with the most alerts gives way: so a flood of one tenant leaves every other its share.
 */
export type Waiting = {
  readonly alertId: string;
  /** null: the plane's. */
  readonly tenant: string | null;
  attempts: number;
  dueAtMs: number;
};

export class Line {
  readonly #most: number;
  /** By tenant and alert, both in the order in which they came; the next tenant comes first. */
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

  /** Takes in one that is not there yet. @returns who gives way where there is no room for all, the newest one of its tenant */
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

  /** The first that is due, of the first tenant who has one: its turn is over with that. It stays in the line. */
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

  /** When the next will be due; Infinity where nothing waits. */
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
