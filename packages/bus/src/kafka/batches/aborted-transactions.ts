import type { AbortedTransaction } from '../client.ts';
import type { RecordBatch } from './read-batches.ts';

/** Finds the batches of aborted transactions. The caller must pass all batches, in the order of the log. */
export class AbortedTransactions {
  readonly #ahead: AbortedTransaction[];
  readonly #open = new Set<bigint>();

  constructor(aborted: readonly AbortedTransaction[]) {
    this.#ahead = aborted.toSorted((one, other) => one.firstOffset - other.firstOffset);
  }

  /**
   * Returns true if the batch belongs to an aborted transaction. A producer has one transaction at a time. A control
   * batch ends the transaction.
   */
  isAborted({ lastOffset, producerId, isControl, isTransactional }: RecordBatch): boolean {
    for (
      let [next] = this.#ahead;
      next !== undefined && next.firstOffset <= lastOffset;
      [next] = this.#ahead
    ) {
      this.#open.add(next.producerId);
      this.#ahead.shift();
    }
    if (isControl) this.#open.delete(producerId);
    return isTransactional && this.#open.has(producerId);
  }
}
