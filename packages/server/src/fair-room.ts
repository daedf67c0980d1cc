/**
 * Capacity that tenants share, called "room": a number of bytes, requests, connections or streams. One key may take a
 * part of the room, and one tenant a larger part. If all room is taken, the largest holder loses some of it to a
 * smaller holder. So each tenant gets its share even if other tenants take all they can.
 */
export type Holder = {
  /** The tenant. For a caller without a key, its address. */
  tenant: string;
  key: string;
};

export type Room = {
  /** The total capacity, in bytes or in number. */
  most: number;
  ofATenant: number;
  ofAKey: number;
};

/** A request, connection or stream that takes room, which means a part of the capacity. */
export type Held = {
  readonly holder: Holder;
  /** Ends the request, connection or stream to free its room for another holder. Called at most once. */
  readonly cut: () => void;
  /** An idle request, connection or stream is cut before a busy one. Among equals, the oldest is cut first. */
  state: 'idle' | 'busy';
};

type Key = { amount: number; held: Map<Held, number> };
type Tenant = { amount: number; keys: Map<string, Key> };

export class FairRoom {
  readonly #room: Room;
  readonly #tenants = new Map<string, Tenant>();
  #amount = 0;

  constructor(room: Room) {
    this.#room = room;
  }

  get amount(): number {
    return this.#amount;
  }

  /** Returns how much room the tenant has taken. */
  amountOf(tenant: string): number {
    return this.#tenants.get(tenant)?.amount ?? 0;
  }

  /** True if there is room for `more` of this holder without a cut. */
  fits({ tenant: name, key: id }: Holder, more: number): boolean {
    const tenant = this.#tenants.get(name);
    const { most, ofATenant, ofAKey } = this.#room;
    return (
      (tenant?.keys.get(id)?.amount ?? 0) + more <= ofAKey &&
      (tenant?.amount ?? 0) + more <= ofATenant &&
      this.#amount + more <= most
    );
  }

  /**
   * Takes `more` room for this request, connection or stream. Returns false if there is not enough room and nothing
   * may be cut.
   */
  take(held: Held, more: number): boolean {
    while (!this.fits(held.holder, more)) {
      const victim = this.#whoGivesWay(held, more);
      if (victim === null) return false;
      this.leave(victim);
      victim.cut();
    }
    this.#add(held, more);
    return true;
  }

  /** Gives back all room of this request, connection or stream. */
  leave(held: Held): void {
    const { tenant: name, key: id } = held.holder;
    const tenant = this.#tenants.get(name);
    const key = tenant?.keys.get(id);
    const amount = key?.held.get(held);
    if (tenant === undefined || key === undefined || amount === undefined) return;
    key.held.delete(held);
    key.amount -= amount;
    tenant.amount -= amount;
    this.#amount -= amount;
    if (key.held.size === 0) tenant.keys.delete(id);
    if (tenant.keys.size === 0) this.#tenants.delete(name);
  }

  /**
   * Makes this request, connection or stream the newest of its holder, so that others in the same state are cut
   * first.
   */
  renew(held: Held): void {
    const key = this.#tenants.get(held.holder.tenant)?.keys.get(held.holder.key);
    const amount = key?.held.get(held);
    if (key === undefined || amount === undefined) return;
    key.held.delete(held);
    key.held.set(held, amount);
  }

  #add(held: Held, more: number): void {
    const { tenant: name, key: id } = held.holder;
    const tenant = this.#tenants.get(name) ?? { amount: 0, keys: new Map<string, Key>() };
    const key = tenant.keys.get(id) ?? { amount: 0, held: new Map<Held, number>() };
    this.#tenants.set(name, tenant);
    tenant.keys.set(id, key);
    key.held.set(held, (key.held.get(held) ?? 0) + more);
    key.amount += more;
    tenant.amount += more;
    this.#amount += more;
  }

  /**
   * Chooses what to cut: something of the key with the largest amount, within the tenant with the largest amount. If
   * the new holder's key or tenant is at its limit, something of that key or tenant is cut. A busy thing is cut only
   * if the new holder will have less than the holder that loses it. An idle thing is cut also if both will have the
   * same amount. Otherwise many callers with one idle connection each would keep out all others.
   */
  #whoGivesWay(asking: Held, more: number): Held | null {
    const { tenant: name, key: id } = asking.holder;
    const own = this.#tenants.get(name);
    const ownKey = own?.keys.get(id);
    if ((ownKey?.amount ?? 0) + more > this.#room.ofAKey) return firstIn(ownKey, asking, ['idle']);
    const isTenantFull = (own?.amount ?? 0) + more > this.#room.ofATenant;
    const tenant = isTenantFull ? own : largest(this.#tenants.values());
    if (tenant === undefined) return null;
    const key = largest(tenant.keys.values());
    if (key === ownKey) return firstIn(key, asking, ['idle']);
    const asked = tenant === own ? (ownKey?.amount ?? 0) : (own?.amount ?? 0);
    const most = tenant === own ? (key?.amount ?? 0) : tenant.amount;
    if (most < asked + more) return null;
    return firstIn(key, asking, most > asked + more ? ['idle', 'busy'] : ['idle']);
  }
}

function largest<T extends { amount: number }>(all: Iterable<T>): T | undefined {
  let found: T | undefined;
  for (const one of all) if (found === undefined || one.amount > found.amount) found = one;
  return found;
}

function firstIn(key: Key | undefined, asking: Held, states: readonly Held['state'][]): Held | null {
  for (const state of states) {
    for (const held of key?.held.keys() ?? []) if (held.state === state && held !== asking) return held;
  }
  return null;
}
