/**
 * A partition of the runs that this process holds. On Kafka, the group takes back every partition before each
 * rebalance, and usually returns it to the same process. In between, running calls continue, because an aborted call
 * may have had its effect. Nothing else happens until the partition is back.
 */
import type { BookedRun } from './run-book.ts';

export class PartitionHold {
  readonly #lost = new AbortController();
  /** The runs with running calls. */
  readonly #busy = new Set<BookedRun>();
  #held = Promise.withResolvers<void>();
  #isHeld = false;
  #quiet = Promise.withResolvers<void>();
  #givingUp: NodeJS.Timeout | undefined;

  constructor() {
    this.#held.promise.catch(() => {});
  }

  /** Aborts when another process may hold the partition from now on. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Resolves once the partition is held. Rejects once it is lost. */
  untilHeld(): Promise<void> {
    return this.#held.promise;
  }

  /** Sets whether calls of the run are running. */
  setBusy(run: BookedRun, isBusy: boolean): void {
    if (isBusy) this.#busy.add(run);
    else this.#busy.delete(run);
    if (this.#busy.size === 0) this.#quiet.resolve();
  }

  /** The group gave the partition to this process. */
  confirm(): void {
    clearTimeout(this.#givingUp);
    this.#isHeld = true;
    this.#held.resolve();
  }

  /**
   * The group takes the partition back. Resolves when no call is running, but after `quietMs` at the latest. If the
   * partition does not come back within `keepMs`, it is lost.
   */
  async release({ quietMs, keepMs }: { quietMs: number; keepMs: number }): Promise<void> {
    if (this.signal.aborted) return;
    if (this.#isHeld) {
      this.#isHeld = false;
      this.#held = Promise.withResolvers();
      this.#held.promise.catch(() => {});
      this.#givingUp = setTimeout(() => this.lose(), keepMs);
    }
    if (this.#busy.size === 0) return;
    this.#quiet = Promise.withResolvers();
    const tooLate = setTimeout(this.#quiet.resolve, quietMs);
    await this.#quiet.promise;
    clearTimeout(tooLate);
  }

  lose(): void {
    clearTimeout(this.#givingUp);
    this.#isHeld = false;
    this.#lost.abort();
    this.#held.reject(this.signal.reason);
    this.#quiet.resolve();
  }
}
