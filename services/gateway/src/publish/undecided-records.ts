/**
 * Limits how many records published through this process are undecided at one time. Deciders read each partition in
 * the order of the log. So an action waits for all records before it, also for those of other tenants. A tenant or
 * key with too many undecided records waits here, and does not delay the others.
 */

import { outsideRequests } from '@mandate/runtime';
import type { LogPosition } from '@mandate/schemas';
import { type Holder, type HttpProblem, tooManyOf } from '@mandate/server';

/** The position of a request on the actions topic. */
type RequestPosition = Pick<LogPosition, 'partition' | 'offset'>;

/** The permission for a request to publish. Its records count as undecided. */
export type Admission = {
  /** Call this when the records are on the log at these positions. A record uses its room until it is decided. */
  published(positions: readonly RequestPosition[]): void;
  /** Frees the room of records that were not published. A request must call this however it ends. */
  release(): void;
};

type Waiting = { readonly count: number; readonly untilMs: number; admit(): void; refuse(of: Of): void };
type Of = 'key' | 'tenant';
/** The records of one key. `waiting` has its requests in the order of their arrival. */
type Key = { undecided: number; readonly waiting: Set<Waiting> };
/** The records of one tenant. The last key in `keys` is the key that was admitted last. */
type Tenant = { undecided: number; readonly keys: Map<string, Key> };
type Logged = { readonly offset: number; readonly holder: Holder; readonly atMs: number };

/**
 * A request waits for room at least for this time. If its caller waits longer for the decisions, the request waits
 * that long too.
 */
const LEAST_WAIT_MS = 5_000;
/** After this time, a record frees its room even if it is still undecided, because no decider may be running. */
const MOST_UNDECIDED_MS = 5_000;
const LOOK_EVERY_MS = 250;

export class UndecidedRecords {
  readonly #ofATenant: number;
  readonly #ofAKey: number;
  readonly #now: () => number;
  readonly #tenants = new Map<string, Tenant>();
  /** Undecided records on the log, by partition, in the order of the log. */
  readonly #logged = new Map<number, Logged[]>();
  /** The highest offset that is known to be decided, by partition. */
  readonly #decidedUpTo = new Map<number, number>();
  #undecided = 0;
  #waiting = 0;
  #looking: NodeJS.Timeout | null = null;

  /** @param most how many undecided records a tenant may have before it must wait; a key may have half as many */
  constructor(most: number, now = () => performance.now()) {
    this.#ofATenant = most;
    this.#ofAKey = Math.ceil(most / 2);
    this.#now = now;
  }

  /** Returns how many records are undecided or about to be published. */
  get undecided(): number {
    return this.#undecided;
  }

  /** Returns how many requests wait for room. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Takes room for the records of a request. If the holder has none, waits until enough of its records are decided.
   * Requests of one key keep their order.
   *
   * @param options.waitMs how long the caller waits for the decisions
   * @param options.gone makes the signal that aborts when the caller disconnects
   * @throws HttpProblem 429 TOO_MANY_RECORDS if no room became free within `waitMs`, or within 5 s if `waitMs` is
   * less
   */
  async admit(
    holder: Holder,
    count: number,
    { waitMs, gone }: { waitMs: number; gone: () => AbortSignal },
  ): Promise<Admission> {
    const { tenant, key } = this.#accountsOf(holder);
    if (key.waiting.size === 0 && this.#full(tenant, key) === null) this.#add(holder, count);
    else await this.#wait(holder, count, { waitMs, gone: gone() });
    let unpublished = count;
    return {
      published: (positions) => {
        unpublished -= positions.length;
        for (const position of positions) this.#log(position, holder);
      },
      release: () => {
        if (unpublished > 0) this.#free(holder, unpublished);
        unpublished = 0;
      },
    };
  }

  /**
   * Call this when the record at this log position is decided. All records before it in its partition are then
   * decided too.
   */
  decided({ partition, offset }: RequestPosition): void {
    if (offset <= this.#lastDecided(partition)) return;
    this.#decidedUpTo.set(partition, offset);
    this.#freeFirst(this.#logged.get(partition) ?? [], (logged) => logged.offset <= offset);
  }

  #lastDecided(partition: number): number {
    return this.#decidedUpTo.get(partition) ?? -1;
  }

  #accountsOf(holder: Holder): { tenant: Tenant; key: Key } {
    const tenant = this.#tenants.get(holder.tenant) ?? { undecided: 0, keys: new Map<string, Key>() };
    const key = tenant.keys.get(holder.key) ?? { undecided: 0, waiting: new Set<Waiting>() };
    this.#tenants.set(holder.tenant, tenant);
    tenant.keys.set(holder.key, key);
    return { tenant, key };
  }

  /** Returns which holder has no room: the key or the tenant. Null if both have room. */
  #full(tenant: Tenant, key: Key): Of | null {
    if (key.undecided >= this.#ofAKey) return 'key';
    return tenant.undecided >= this.#ofATenant ? 'tenant' : null;
  }

  #wait(
    holder: Holder,
    count: number,
    { waitMs, gone }: { waitMs: number; gone: AbortSignal },
  ): Promise<void> {
    const { key } = this.#accountsOf(holder);
    return new Promise((resolve, reject) => {
      const leave = () => {
        gone.removeEventListener('abort', hungUp);
        key.waiting.delete(waiting);
        this.#waiting -= 1;
      };
      const waiting: Waiting = {
        count,
        untilMs: this.#now() + Math.max(LEAST_WAIT_MS, waitMs),
        admit: () => {
          leave();
          this.#add(holder, count);
          resolve();
        },
        refuse: (of) => {
          leave();
          this.#forgetIdle(holder);
          reject(tooManyUndecided(of));
        },
      };
      const hungUp = () => waiting.refuse('key');
      if (gone.aborted) {
        reject(tooManyUndecided('key'));
        return;
      }
      gone.addEventListener('abort', hungUp);
      key.waiting.add(waiting);
      this.#waiting += 1;
      this.#looking ??= outsideRequests(() => setInterval(() => this.#look(), LOOK_EVERY_MS));
    });
  }

  #add(holder: Holder, count: number): void {
    const { tenant, key } = this.#accountsOf(holder);
    key.undecided += count;
    tenant.undecided += count;
    this.#undecided += count;
  }

  #free(holder: Holder, count: number): void {
    const { tenant, key } = this.#accountsOf(holder);
    key.undecided -= count;
    tenant.undecided -= count;
    this.#undecided -= count;
    this.#admitNext(tenant);
    this.#forgetIdle(holder);
  }

  #forgetIdle(holder: Holder): void {
    const { tenant, key } = this.#accountsOf(holder);
    if (key.undecided === 0 && key.waiting.size === 0) tenant.keys.delete(holder.key);
    if (tenant.keys.size === 0) this.#tenants.delete(holder.tenant);
  }

  /** Admits the requests that now have room. The keys take turns. */
  #admitNext(tenant: Tenant): void {
    if (this.#waiting === 0) return;
    for (const [id, key] of tenant.keys) {
      const [next] = key.waiting;
      if (next === undefined || this.#full(tenant, key) !== null) continue;
      // The key moves to the end of the map. So the loop first reaches the other keys, and then this key again.
      tenant.keys.delete(id);
      tenant.keys.set(id, key);
      next.admit();
    }
  }

  #log({ partition, offset }: RequestPosition, holder: Holder): void {
    const logged = { offset, holder, atMs: this.#now() };
    const known = this.#logged.get(partition);
    if (logged.offset <= this.#lastDecided(partition)) this.#free(holder, 1);
    else if (known === undefined) this.#logged.set(partition, [logged]);
    else known.push(logged);
  }

  #freeFirst(all: Logged[], isOver: (logged: Logged) => boolean): void {
    const count = all.findIndex((logged) => !isOver(logged));
    for (const { holder } of all.splice(0, count < 0 ? all.length : count)) this.#free(holder, 1);
  }

  /** Frees the room of records without a decision, and refuses requests that have waited too long. */
  #look(): void {
    const nowMs = this.#now();
    for (const all of this.#logged.values())
      this.#freeFirst(all, ({ atMs }) => nowMs - atMs >= MOST_UNDECIDED_MS);
    for (const tenant of this.#tenants.values())
      for (const key of tenant.keys.values())
        for (const waiting of key.waiting) {
          if (nowMs >= waiting.untilMs) waiting.refuse(this.#full(tenant, key) ?? 'key');
        }
    if (this.#waiting > 0 || this.#looking === null) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }
}

function tooManyUndecided(of: Of): HttpProblem {
  const holder = of === 'key' ? 'this API key' : 'the tenant of this API key';
  return tooManyOf('TOO_MANY_RECORDS', `too many records of ${holder} wait for their decisions`, {
    waitMs: 1_000,
    facts: { quota: 'publish.undecided', of },
  });
}
