/**
 * Room that tenants share: bytes, or places. One key may hold a part of the room, and one tenant a larger part. When
 * the room is full, the holder of the most gives way to a holder of less. So a tenant gets its share even while
 * others hoard.
 */
export type Holder = {
  /** For a caller without a key: its address. */
  tenant: string;
  key: string;
};

export type Room = {
  /** The whole size of the room. */
  most: number;
  ofATenant: number;
  ofAKey: number;
};

/** The room that one request, connection or stream holds. */
export type Held = {
  readonly holder: Holder;
  /** Ends the request, connection or stream, to make room for another holder. Called at most once. */
  readonly cut: () => void;
  /** Idle things give way before busy things, and the oldest gives way first. */
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

  /** Returns how much the tenant holds. */
  amountOf(tenant: string): number {
    return this.#tenants.get(tenant)?.amount ?? 0;
  }

  /** True if this holder can take `more` while everything else stays. */
  fits({ tenant: name, key: id }: Holder, more: number): boolean {
    const tenant = this.#tenants.get(name);
    const { most, ofATenant, ofAKey } = this.#room;
    return (
      (tenant?.keys.get(id)?.amount ?? 0) + more <= ofAKey &&
      (tenant?.amount ?? 0) + more <= ofATenant &&
      this.#amount + more <= most
    );
  }

  /** Takes `more` for it. Returns false if there is no room and no other holder has to give way. */
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

  /** Gives back everything that this thing holds. */
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

  /** Makes it the newest of its holder, so that it gives way after the others in the same state. */
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
   * The victim belongs to the tenant that holds the most, and there to the key that holds the most. A busy thing
   * gives way only to a holder that will hold less than its own holder. An idle thing also gives way to a holder that
   * will hold as much. Otherwise many callers with one idle connection each would keep out all others.
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
