/**
 * The port of the log: what Mandate asks of Kafka, or of a SQLite file on one machine.
 *
 * A topic has partitions; a record's key fixes its partition, and within one partition order is kept. A record is always
 * identified by its position. Delivery to a consumer group is at least once: the position moves only when the handler
 * commits, after its work. Every implementation passes `contract.ts`.
 */

import type { MandateError } from '@mandate/runtime';
import type { WrittenRecord } from '@mandate/schemas';

/** Where one record lies: the identity of one delivery. `offset` counts from 0 within the partition. */
export type LogPosition = { topic: string; partition: number; offset: number };

export type Headers = Readonly<Record<string, string>>;

/** A record to append. `key: null` means no order is asked for; `partition` overrides the key. */
export type Outgoing = {
  key: string | null;
  value: string | Uint8Array;
  headers?: Headers;
  partition?: number;
  /**
   * The object that `value` is the text of. The embedded log hands it to readers of this process, and no code may change
   * it any more.
   */
  written?: WrittenRecord;
};

/** A record as read. `value` is bytes as they were written; `appendedAtMs` is the log's clock, never the writer's. */
export type LogRecord = {
  position: LogPosition;
  key: string | null;
  value: Uint8Array;
  headers: Headers;
  appendedAtMs: number;
  /** What this process wrote `value` from. Absent where another process wrote it, or where it was written some time ago. */
  written?: WrittenRecord;
  /** Set when this is no record, but a batch of them; seen by consumers with `takesUnreadable` alone. */
  unreadable?: UnreadableBatch;
};

/**
 * A batch in a form that no reader can split into records: garbled, packed by an unknown codec, or so that it would take
 * all memory. It stands in the place of its records: the position has the first of their offsets, `value` all of the
 * batch as it lies on the log. The log of one machine has none.
 */
export type UnreadableBatch = { lastOffset: number; reason: string };

/** What a producer gets back: the record is on the log, there. */
export type Acknowledged = { position: LogPosition; appendedAtMs: number };

/** Consecutive records of one partition, handed to one member of a group. Never empty. */
export type Batch = {
  topic: string;
  partition: number;
  records: readonly LogRecord[];
  /** The offset that the next record appended to this partition will get, as known when the batch was read. */
  endOffset: number;
  /**
   * Moves the group's position: `nextOffset` is the first one NOT done. Call it after the work is done and
   * acknowledged. Fails with BUS_FENCED when the partition meanwhile belongs to another member, and with BUS_MISUSED
   * outside of this batch. A position never moves back.
   */
  commit(nextOffset: number): Promise<void>;
  /** Keeps the membership alive during long work; throws BUS_FENCED when it is lost. */
  heartbeat(): Promise<void>;
  /** Aborts when the consumer stops or loses the partition: finish what is in hand and return. */
  signal: AbortSignal;
};

export type ConsumerOptions = {
  group: string;
  topics: readonly string[];
  /** Where a group without a committed position starts. */
  from: 'earliest' | 'latest';
  /** At most so many records a batch, and fewer when they are heavy: see batch-bytes.ts. Default 500. */
  maxBatch?: number;
  /**
   * Batches that cannot be read are handed over too, and a commit after one passes its records over. Without this, and in
   * every other way of reading, they are BUS_UNREADABLE and nothing goes on behind them.
   */
  takesUnreadable?: boolean;
  /** A member that is silent for so long loses its partitions. Default 10,000. */
  sessionTimeoutMs?: number;
  /**
   * Called before the first batch of each newly assigned partition, e.g. to load what belongs to it. A group
   * member handles one batch per partition at a time, different partitions concurrently.
   */
  onAssigned?(partitions: readonly { topic: string; partition: number }[]): Promise<void>;
  /**
   * Told of a partition that cannot go on (BUS_OFFSET_LOST, BUS_UNREADABLE): it halts where it is, the others go on, and
   * its next holder is told again. Without this, one that cannot go on ends the consumer.
   */
  onHalted?(partition: { topic: string; partition: number }, error: MandateError): void;
  /**
   * Returning without a commit means the same records come again. Throwing ends the consumer (see `finished`), with
   * one exception: a BUS_FENCED let through is a partition lost, and the consumer goes on with the others.
   */
  onBatch(batch: Batch): Promise<void>;
};

export type Consumer = {
  /** Resolves after `stop()`; rejects when the handler threw, or a partition cannot go on (see `onHalted`). */
  finished: Promise<void>;
  /** Graceful drain: no new batch starts, running ones finish (bounded by `drainMs`, default 10,000), membership ends. */
  stop(drainMs?: number): Promise<void>;
  /** Records not yet committed by the group, for every partition of its topics, in any member: the lag metric. */
  lag(): Promise<readonly { topic: string; partition: number; lag: number }[]>;
  /**
   * From now on these topics and no others, by the same way as when members come and go: a partition is let go of between
   * batches. One that the group has no position for begins at its start, whatever `from` says. Members of a group may
   * differ: a topic is shared by those that follow it. Fails with BUS_TOPIC_UNFIT where a topic that is new to it
   * cannot be read; all is then as it was.
   */
  follow(topics: readonly string[]): Promise<void>;
};

export type ReaderOptions = {
  topics: readonly string[];
  /** `earliest`, `latest` (only what comes from now on), or the first offset wanted, by `topic/partition`; a partition not named starts at the earliest. */
  from: 'earliest' | 'latest' | Readonly<Record<string, number>>;
  /** At most so many records a call, and fewer when they are heavy. Default 1,000. */
  maxBatch?: number;
  onRecords(records: readonly LogRecord[]): Promise<void> | void;
};

/**
 * Reads every partition, in no group, committing nothing: for projections, snapshots, and callers that wait for a
 * decision.
 */
export type Reader = {
  /**
   * Resolves once everything that was on the log when the reader started has been handed over; rejects when the
   * reader ends before.
   */
  caughtUp: Promise<void>;
  /** Resolves after `stop()`; rejects when the handler threw, or the log no longer holds the next offset (BUS_OFFSET_LOST), or not legibly (BUS_UNREADABLE). */
  finished: Promise<void>;
  /** The next offset to be read, by `topic/partition`. */
  positions(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
};

export type PartitionRange = { topic: string; partition: number; startOffset: number; endOffset: number };

/** How far a group has committed: `nextOffset` is the first one not done. */
export type GroupPosition = { group: string; topic: string; partition: number; nextOffset: number };

export type AppendOptions = {
  /**
   * These records wait behind no others, not even behind earlier ones of the same key, and for no room. For the few records
   * that must reach the log however much is on its way there: what operators do to stop agents.
   */
  urgent?: boolean;
};

export interface Bus {
  /** What the log is, as traces name it. */
  readonly system: 'kafka' | 'sqlite';
  /**
   * Appends in the given order and resolves when every record is on the log, with where each one lies (same order
   * as given). All-or-error within bounded time (BUS_UNAVAILABLE, retryable); after an error some may be on the log.
   * Back-pressure: waits while too much is in flight, and fails with BUS_OVERLOADED when the wait is too long.
   */
  append(
    topic: string,
    records: readonly Outgoing[],
    options?: AppendOptions,
  ): Promise<readonly Acknowledged[]>;
  consume(options: ConsumerOptions): Promise<Consumer>;
  read(options: ReaderOptions): Promise<Reader>;
  /**
   * Makes a topic if it is missing, as its records need it, and says whether it was missing: for programs that prepare
   * topics, also where they are not made at their first use. Fails with BUS_TOPIC_UNFIT where this client may not.
   */
  makeTopic(topic: string): Promise<boolean>;
  /**
   * What the log holds of a topic now: one row per partition; `startOffset` moves with retention. With `beforeMs`, what of
   * it was appended before that time of the log's clock.
   */
  ranges(topic: string, beforeMs?: number): Promise<readonly PartitionRange[]>;
  /**
   * The positions of groups with names that begin with `prefix`, whether they have members now or not; nothing for a
   * group that never had one.
   */
  positions(prefix: string): Promise<readonly GroupPosition[]>;
  /** One record by its position; null when retention took it or it never was. */
  at(position: LogPosition): Promise<LogRecord | null>;
  /** Whether the log answers now; throws BUS_UNAVAILABLE otherwise. For readiness. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
