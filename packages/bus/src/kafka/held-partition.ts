import { setTimeout as pause } from 'node:timers/promises';
import { isMandateError, type MandateError } from '@mandate/runtime';
import { closed, fenced, misused } from '../errors.ts';
import { nextOffset } from '../next-offset.ts';
import type { Batch, ConsumerOptions, LogRecord } from '../port.ts';
import type { Commits } from './commits.ts';
import type { Coordinator, Membership } from './coordinator.ts';
import type { Cursor } from './cursor.ts';
import { asBusError, isMembershipLost } from './failure.ts';

const DEFAULT_MAX_BATCH = 500;
/**
 * If a handler returns without a commit, it gets the same records again after a pause. The pauses grow up to this
 * length in milliseconds.
 */
const LONGEST_PAUSE_MS = 1_000;

/** The parts that a partition needs: the group's coordinator, and the membership of this round. */
export type Serving = {
  coordinator: Coordinator;
  membership: Membership;
  commits: Commits;
  isClosed: () => boolean;
};

/**
 * A partition that a member holds for one round. Hands over one batch after another, from the committed position on.
 */
export class HeldPartition {
  readonly cursor: Cursor;
  /** Resolves when the partition is released and its handler has ended. Rejects with the handler's error. */
  readonly done: Promise<void>;
  readonly #releasing = new AbortController();
  readonly #serving: Serving;
  readonly #options: ConsumerOptions;
  #position: number;
  /** The offset of the newest commit, which may still be running. */
  #asked: number;
  #isLost = false;

  /** Batches start after `ready` resolves: the previous handler has ended, and `onAssigned` has loaded its data. */
  constructor(serving: Serving, options: ConsumerOptions, cursor: Cursor, ready: Promise<unknown>) {
    this.#serving = serving;
    this.#options = options;
    this.cursor = cursor;
    this.#position = cursor.position;
    this.#asked = cursor.position;
    this.done = ready.then(() => this.#serve());
  }

  /**
   * Releases the partition. No new batch starts. The current handler gets a signal to finish, and may still commit
   * its batch.
   */
  release(): void {
    this.#releasing.abort();
    this.cursor.wake();
  }

  /** Another member may have the partition now, so the current batch can no longer be committed. */
  fence(): void {
    this.#isLost = true;
    this.release();
  }

  async #serve(): Promise<void> {
    const { signal } = this.#releasing;
    const { maxBatch = DEFAULT_MAX_BATCH, onBatch } = this.#options;
    let pauseMs = 1;
    while (!signal.aborted) {
      const from = this.#position;
      const changed = this.cursor.changed();
      const records = this.#next(maxBatch);
      if (records === null) return;
      if (records.length === 0) {
        await this.#passOver();
        if (!signal.aborted) await changed;
        continue;
      }
      await onBatch(this.#batch(records));
      if (this.#position > from) {
        this.cursor.moveTo(this.#position);
        pauseMs = 1;
      } else {
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        await pause(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Returns the next records. Null if the partition is halted and `onHalted` was called. */
  #next(most: number): readonly LogRecord[] | null {
    try {
      return this.cursor.peek(most, this.#options);
    } catch (error) {
      const { topic, partition } = this.cursor;
      const { onHalted } = this.#options;
      if (onHalted === undefined || !isOfOnePartition(error)) throw error;
      onHalted({ topic, partition }, error);
      return null;
    }
  }

  /** Commits past transaction entries, which no handler gets. Otherwise the group would always seem to lag. */
  async #passOver(): Promise<void> {
    const next = this.cursor.position;
    if (next <= this.#position) return;
    await this.#commit(next).catch((error) => {
      // Other failures of this commit are ignored, because the next commit includes this offset.
      if (isMandateError(error, 'BUS_FENCED')) throw error;
    });
  }

  #batch(records: readonly LogRecord[]): Batch {
    const { topic, partition } = this.cursor;
    const first = records[0]?.position.offset ?? 0;
    const last = records.at(-1);
    const afterLast = last === undefined ? first : nextOffset(last);
    return {
      topic,
      partition,
      records,
      endOffset: Math.max(this.cursor.endOffset, afterLast),
      signal: this.#releasing.signal,
      commit: async (nextOffset) => {
        if (!Number.isSafeInteger(nextOffset) || nextOffset < first || nextOffset > afterLast) {
          throw misused(`commit(${nextOffset}) of a batch of offsets ${first} to ${afterLast - 1}`);
        }
        // If the offset is not higher, nothing is committed, because a position never moves back. But `#confirm`
        // fails if the member has lost the partition.
        if (nextOffset > this.#asked) await this.#commit(nextOffset);
        else await this.#confirm();
      },
      heartbeat: () => this.#confirm(),
    };
  }

  async #commit(nextOffset: number): Promise<void> {
    this.#mustHold();
    this.#asked = nextOffset;
    try {
      await this.#serving.commits.commit(this.cursor, nextOffset);
      this.#position = Math.max(this.#position, nextOffset);
    } catch (error) {
      this.#asked = this.#position;
      throw error;
    }
  }

  async #confirm(): Promise<void> {
    this.#mustHold();
    const { coordinator, membership } = this.#serving;
    const { topic, partition } = this.cursor;
    await coordinator.heartbeat(membership).catch((error) => {
      throw isMembershipLost(error) ? fenced(coordinator.group, topic, partition) : asBusError(error);
    });
  }

  #mustHold(): void {
    const { coordinator, isClosed } = this.#serving;
    if (isClosed()) throw closed();
    if (this.#isLost) throw fenced(coordinator.group, this.cursor.topic, this.cursor.partition);
  }
}

/** True for an error of this partition alone. Any other error affects all partitions. */
function isOfOnePartition(error: unknown): error is MandateError {
  return isMandateError(error, 'BUS_OFFSET_LOST') || isMandateError(error, 'BUS_UNREADABLE');
}
