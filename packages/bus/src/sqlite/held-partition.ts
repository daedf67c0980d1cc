import { setTimeout as pause } from 'node:timers/promises';
import { isMandateError, turns } from '@mandate/runtime';
import { misused } from '../errors.ts';
import type { Batch, ConsumerOptions, LogRecord } from '../port.ts';
import type { Bounds } from './bounds.ts';
import { type Changes, partitionChanged } from './changes.ts';
import { untilFree } from './failure.ts';
import type { Member } from './group-rows.ts';
import type { Holding, Membership } from './membership.ts';
import type { Partition } from './topics.ts';

/** The parts of the log that a held partition uses. */
export type LogParts = {
  bounds: Bounds;
  changes: Changes;
  membership: Membership;
  busyWaitMs: number;
};

const DEFAULT_MAX_BATCH = 500;
/**
 * If a handler returns without a commit, it gets the same records again after a pause. The pauses grow up to this
 * length in milliseconds.
 */
const LONGEST_PAUSE_MS = 1_000;

/**
 * A partition that a member holds, from claim to release. Hands over one batch after another, from the committed
 * position on.
 */
export class HeldPartition {
  readonly partition: Partition;
  readonly holding: Holding;
  /** Resolves when the partition is released and its handler has ended. Rejects with the handler's error. */
  readonly done: Promise<void>;
  readonly #releasing = new AbortController();
  readonly #log: LogParts;
  readonly #member: Member;
  readonly #options: ConsumerOptions;
  #position: number;

  /** Batches start after `ready` resolves: the previous handler has ended, and `onAssigned` has loaded its data. */
  constructor(
    log: LogParts,
    member: Member,
    options: ConsumerOptions,
    partition: Partition,
    holding: Holding,
    ready: Promise<void>,
  ) {
    this.#log = log;
    this.#member = member;
    this.#options = options;
    this.partition = partition;
    this.holding = holding;
    this.#position = holding.nextOffset;
    this.done = ready.then(() => this.#serve());
  }

  get isLetGo(): boolean {
    return this.#releasing.signal.aborted;
  }

  /** Releases the partition. No new batch starts. The current handler gets a signal to finish its batch. */
  release(): void {
    this.#releasing.abort();
  }

  async #serve(): Promise<void> {
    const { bounds, changes } = this.#log;
    const { signal } = this.#releasing;
    const { onBatch } = this.#options;
    const news = [partitionChanged(this.partition.id)];
    const lane = ['consumers', this.#options.group, `${this.partition.topic}/${this.partition.partition}`];
    let pauseMs = 1;
    while (!signal.aborted) {
      const from = this.#position;
      const records = await this.#next(from);
      if (signal.aborted || records === null) return;
      if (records.length === 0) {
        await changes.next(news, signal);
        continue;
      }
      await onBatch(this.#batch(records, bounds.endOf(this.partition)));
      if (this.#position > from) {
        pauseMs = 1;
        await turns.next(lane);
      } else {
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
        await pause(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  }

  /** Returns the next records. Null if the partition is halted and `onHalted` was called. */
  async #next(from: number): Promise<readonly LogRecord[] | null> {
    const { bounds, busyWaitMs } = this.#log;
    const { group, maxBatch = DEFAULT_MAX_BATCH, onHalted } = this.#options;
    const { topic, partition } = this.partition;
    try {
      return await untilFree(() => bounds.read(this.partition, from, maxBatch, group), busyWaitMs);
    } catch (error) {
      if (onHalted === undefined || !isMandateError(error, 'BUS_OFFSET_LOST')) throw error;
      onHalted({ topic, partition }, error);
      return null;
    }
  }

  #batch(records: readonly LogRecord[], endOffset: number): Batch {
    const { membership } = this.#log;
    const { topic, partition } = this.partition;
    const first = records[0]?.position.offset ?? 0;
    const afterLast = first + records.length;
    return {
      topic,
      partition,
      records,
      endOffset: Math.max(endOffset, afterLast),
      signal: this.#releasing.signal,
      commit: async (nextOffset) => {
        if (!Number.isSafeInteger(nextOffset) || nextOffset < first || nextOffset > afterLast) {
          throw misused(`commit(${nextOffset}) of a batch of offsets ${first} to ${afterLast - 1}`);
        }
        await membership.commit(this.#member, this.holding, this.partition, nextOffset);
        this.#position = Math.max(this.#position, nextOffset);
      },
      heartbeat: () => membership.confirm(this.#member, this.holding, this.partition),
    };
  }
}
