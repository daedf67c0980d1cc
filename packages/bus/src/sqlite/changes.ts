import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** The poll interval while other processes write. While they do not write, the interval is `IDLE_POLL_MS`. */
const BUSY_POLL_MS = 1;
const IDLE_POLL_MS = 10;

export function partitionChanged(partitionId: number): string {
  return `partition ${partitionId}`;
}

export function groupChanged(group: string): string {
  return `group ${group}`;
}

/**
 * Waits for changes of the file. Writes of this process are announced when they commit. Writes of other processes are
 * found by polling SQLite's `data_version`, which changes with every commit of another connection. One poll takes two
 * microseconds. Only after such a change, the changed partitions and groups are looked up, and only their readers are
 * woken. Nothing is polled while no reader waits.
 */
export class Changes {
  readonly #dataVersion: StatementSync;
  readonly #ends: StatementSync;
  readonly #generations: StatementSync;
  readonly #waiting = new Map<string, Set<() => void>>();
  #versionSeen: unknown;
  /**
   * The last known end of each partition and generation of each group, by key. These values must not be newer than
   * the last read of any waiting reader. Otherwise a change would be missed.
   */
  #seen: ReadonlyMap<string, unknown> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #pollMs = IDLE_POLL_MS;

  constructor(db: DatabaseSync) {
    this.#dataVersion = db.prepare('PRAGMA data_version');
    this.#ends = db.prepare('SELECT id, end_offset FROM partitions');
    this.#generations = db.prepare('SELECT group_name, generation FROM generations');
  }

  /**
   * Resolves at the next change of any of `keys`, when `signal` aborts, or after `timeoutMs`. It may also resolve
   * without a change, so check again afterwards. Check and call this method in the same turn of the event loop.
   * Otherwise a change in between is missed.
   */
  next(keys: readonly string[], signal: AbortSignal, timeoutMs?: number): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timeout);
        signal.removeEventListener('abort', wake);
        for (const key of keys) this.#forget(key, wake);
        resolve();
      };
      const timeout = timeoutMs === undefined ? undefined : setTimeout(wake, timeoutMs);
      signal.addEventListener('abort', wake, { once: true });
      for (const key of keys) {
        const waiting = this.#waiting.get(key);
        if (waiting === undefined) this.#waiting.set(key, new Set([wake]));
        else waiting.add(wake);
      }
      this.#timer ??= setTimeout(this.#poll, this.#pollMs);
    });
  }

  announce(keys: Iterable<string>): void {
    for (const key of keys) {
      for (const wake of this.#waiting.get(key) ?? []) wake();
    }
  }

  #forget(key: string, wake: () => void): void {
    const waiting = this.#waiting.get(key);
    waiting?.delete(wake);
    if (waiting?.size === 0) this.#waiting.delete(key);
  }

  readonly #poll = (): void => {
    this.#timer = undefined;
    if (this.#waiting.size === 0) return;
    const changed = this.#changedByOthers();
    this.#pollMs = changed === null ? Math.min(this.#pollMs + 1, IDLE_POLL_MS) : BUSY_POLL_MS;
    if (changed !== null) this.announce(changed);
    this.#timer = setTimeout(this.#poll, this.#pollMs);
  };

  /** Returns the keys that changed. Null if no other process wrote since the last check. */
  #changedByOthers(): string[] | null {
    try {
      const version = this.#dataVersion.get()?.data_version;
      if (version === this.#versionSeen) return null;
      const before = this.#seen;
      this.#seen = this.#look();
      this.#versionSeen = version;
      return [...this.#seen].filter(([key, value]) => before.get(key) !== value).map(([key]) => key);
    } catch {
      // The file is locked or broken. All readers wake up, and get the error from their own reads.
      return [...this.#waiting.keys()];
    }
  }

  #look(): Map<string, unknown> {
    const seen = new Map<string, unknown>();
    for (const row of this.#ends.all()) seen.set(partitionChanged(Number(row.id)), row.end_offset);
    for (const row of this.#generations.all()) seen.set(groupChanged(String(row.group_name)), row.generation);
    return seen;
  }
}
