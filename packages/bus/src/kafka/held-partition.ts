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
/** A handler that returns without a commit sees the same records again, slower each time, up to this. */
const LONGEST_PAUSE_MS = 1_000;

/** What serving a partition needs: who coordinates the group, and as which member of which round one speaks to it. */
export type Serving = {
  coordinator: Coordinator;
  membership: Membership;
  commits: Commits;
  isClosed: () => boolean;
};

/** One partition in the hands of one member for one round: one batch after the other, from the committed position on. */
export class HeldPartition {
  readonly cursor: Cursor;
  /** Ends when the partition was let go and its handler is done; rejects with what the handler threw. */
  readonly done: Promise<void>;
  readonly #letGo = new AbortController();
  readonly #serving: Serving;
  readonly #options: ConsumerOptions;
  #position: number;
  /** How far the newest commit goes, also while it is under way. */
  #asked: number;
  #isLost = false;

  /** `ready` comes first: the handler before this one has ended, and `onAssigned` has loaded what it must. */
  constructor(serving: Serving, options: ConsumerOptions, cursor: Cursor, ready: Promise<unknown>) {
    this.#serving = serving;
    this.#options = options;
    this.cursor = cursor;
    this.#position = cursor.position;
    this.#asked = cursor.position;
    this.done = ready.then(() => this.#serve());
  }

  /** No new batch starts; the one in hand is told to finish, and may still commit. */
  letGo(): void {
    this.#letGo.abort();
    this.cursor.wake();
  }

  /** Others may have the partition by now: what is in hand can no longer be committed. */
  lose(): void {
    this.#isLost = true;
    this.letGo();
  }

  async #serve(): Promise<void> {
    const { signal } = this.#letGo;
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

  /** null: the partition halts, and who should know of it does. */
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

  /**
   * Entries that transactions leave on the log are not handled. A group that waited before them would seem to lag always.
   */
  async #passOver(): Promise<void> {
    const next = this.cursor.position;
    if (next <= this.#position) return;
    await this.#commit(next).catch((error) => {
      // What cannot be said now is said with the next commit.
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
      signal: this.#letGo.signal,
      commit: async (nextOffset) => {
        if (!Number.isSafeInteger(nextOffset) || nextOffset < first || nextOffset > afterLast) {
          throw misused(`commit(${nextOffset}) of a batch of offsets ${first} to ${afterLast - 1}`);
        }
        // A position never moves back; but who may not move it at all is told so.
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

/** What else a partition fails with, all partitions do. */
function isOfOnePartition(error: unknown): error is MandateError {
  return isMandateError(error, 'BUS_OFFSET_LOST') || isMandateError(error, 'BUS_UNREADABLE');
}
