/**
 * The port of the log: what Mandate needs of Kafka, or of a SQLite file on one machine.
 *
 * A topic has partitions. A record's key decides its partition, and a partition keeps the order. A record is always
 * identified by its position. Delivery to a consumer group is at least once: the position moves only when the handler
 * commits, after its work. Every implementation passes `contract.ts`.
 */

import type { MandateError } from '@mandate/runtime';
import type { LogPosition, WrittenRecord } from '@mandate/schemas';

export type { LogPosition };

export type Headers = Readonly<Record<string, string>>;

/** A record to append. `key: null` means that its order does not matter. `partition` overrides the key. */
export type Outgoing = {
  key: string | null;
  value: string | Uint8Array;
  headers?: Headers;
  partition?: number;
  /**
   * The object that `value` is the JSON text of. The embedded log hands this object to readers of the same process.
   * So no code may change it any more.
   */
  written?: WrittenRecord;
};

/**
 * A record as read. `value` has the bytes as written. `appendedAtMs` is the time on the log's clock, never on the
 * writer's.
 */
export type LogRecord = {
  position: LogPosition;
  key: string | null;
  value: Uint8Array;
  headers: Headers;
  appendedAtMs: number;
  /**
   * The object from which this process wrote `value`. Absent if another process wrote the record, or if it was
   * written some time ago.
   */
  written?: WrittenRecord;
  /**
   * Set if this is a batch that cannot be read, and not a record. Only consumers with `takesUnreadable` get such
   * batches.
   */
  unreadable?: UnreadableBatch;
};

/**
 * A batch that no reader can split into records: it is damaged, its codec is unknown, or it would take all memory. It
 * stands for its records: `position` has the first of their offsets, and `value` the whole batch as it is on the log.
 * The SQLite log has none.
 */
export type UnreadableBatch = { lastOffset: number; reason: string };

/** What the appender of a record gets back: the record is on the log, at this position. */
export type Acknowledged = { position: LogPosition; appendedAtMs: number };

/** Consecutive records of one partition, handed to one member of a group. Never empty. */
export type Batch = {
  topic: string;
  partition: number;
  records: readonly LogRecord[];
  /** The offset that the next record appended to this partition will get, as of reading the batch. */
  endOffset: number;
  /**
   * Moves the group's position. `nextOffset` is the first offset that is NOT done. Call it after the work is done and
   * acknowledged. Fails with BUS_FENCED if the partition meanwhile belongs to another member, and with BUS_MISUSED
   * outside of this batch. A position never moves back.
   */
  commit(nextOffset: number): Promise<void>;
  /** Keeps the membership alive during long work. Throws BUS_FENCED if the membership is lost. */
  heartbeat(): Promise<void>;
  /** Aborts when the consumer stops or loses the partition. The handler must finish its batch and return. */
  signal: AbortSignal;
};

export type ConsumerOptions = {
  group: string;
  topics: readonly string[];
  /** Where a group without a committed position starts. */
  from: 'earliest' | 'latest';
  /** The most records in a batch. A batch of large records has fewer (batch-bytes.ts). Default 500. */
  maxBatch?: number;
  /**
   * If true, batches that cannot be read are handed over too, and a commit after one passes over its records.
   * Otherwise, and in every other way of reading, such a batch is a BUS_UNREADABLE, and no record after it is handed
   * over.
   */
  takesUnreadable?: boolean;
  /** A member that is silent for this long loses its partitions. Default 10,000. */
  sessionTimeoutMs?: number;
  /**
   * Called before the first batch of each newly assigned partition, for example to load its data. A member handles
   * one batch of a partition at a time, and different partitions concurrently.
   */
  onAssigned?(partitions: readonly { topic: string; partition: number }[]): Promise<void>;
  /**
   * Called for a partition that cannot go on (BUS_OFFSET_LOST, BUS_UNREADABLE). The partition halts, the others go
   * on, and the member that gets it next is called again. Without `onHalted`, such a partition ends the consumer.
   */
  onHalted?(partition: { topic: string; partition: number }, error: MandateError): void;
  /**
   * If the handler returns without a commit, the same records come again. If it throws, the consumer ends (see
   * `finished`). The only exception is BUS_FENCED: then the partition is lost, and the consumer goes on with the
   * others.
   */
  onBatch(batch: Batch): Promise<void>;
};

export type Consumer = {
  /** Resolves after `stop()`. Rejects if the handler threw, or if a partition cannot go on (see `onHalted`). */
  finished: Promise<void>;
  /**
   * Stops gracefully: starts no new batch, waits for running ones (at most `drainMs`, default 10,000), and leaves the
   * group.
   */
  stop(drainMs?: number): Promise<void>;
  /**
   * Returns the number of records that the group has not committed, for every partition of its topics, whichever
   * member has it. This is the lag metric.
   */
  lag(): Promise<readonly { topic: string; partition: number; lag: number }[]>;
  /**
   * Follows these topics and no others from now on. Partitions move between batches, as when members join and leave.
   * A partition without a position of the group begins at its start, whatever `from` says. Members of a group may
   * differ: the members that follow a topic share it. Fails with BUS_TOPIC_UNFIT if a new topic cannot be read. Then
   * nothing has changed.
   */
  follow(topics: readonly string[]): Promise<void>;
};

export type ReaderOptions = {
  topics: readonly string[];
  /**
   * `earliest`, `latest` (only new records), or the first offset wanted, by `topic/partition`. A partition that is
   * not named starts at the earliest.
   */
  from: 'earliest' | 'latest' | Readonly<Record<string, number>>;
  /** The most records in a call. A call with large records has fewer. Default 1,000. */
  maxBatch?: number;
  onRecords(records: readonly LogRecord[]): Promise<void> | void;
};

/**
 * Reads every partition, in no group, without commits: for projections, snapshots, and callers that wait for a
 * decision.
 */
export type Reader = {
  /**
   * Resolves once all records that were on the log when the reader started have been handed over. Rejects if the
   * reader ends before.
   */
  caughtUp: Promise<void>;
  /**
   * Resolves after `stop()`. Rejects if the handler threw, if the log no longer holds the next offset
   * (BUS_OFFSET_LOST), or if the next batch cannot be read (BUS_UNREADABLE).
   */
  finished: Promise<void>;
  /** Returns the next offset to be read, by `topic/partition`. */
  positions(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
};

export type PartitionRange = { topic: string; partition: number; startOffset: number; endOffset: number };

/** How far a group has committed. `nextOffset` is the first offset that is not done. */
export type GroupPosition = { group: string; topic: string; partition: number; nextOffset: number };

export type AppendOptions = {
  /**
   * If true, these records do not wait for earlier records, not even of the same key, and not for room. For the few
   * records that must reach the log under any load: operators' commands that stop agents.
   */
  urgent?: boolean;
};

export interface Bus {
  /** The kind of log, as traces name it. */
  readonly system: 'kafka' | 'sqlite';
  /**
   * Appends in the given order. Resolves when every record is on the log, with their positions in the same order.
   * Fails as a whole within bounded time (BUS_UNAVAILABLE, retryable). After an error some records may be on the log.
   * Waits while too much is in flight, and fails with BUS_OVERLOADED if the wait is too long.
   */
  append(
    topic: string,
    records: readonly Outgoing[],
    options?: AppendOptions,
  ): Promise<readonly Acknowledged[]>;
  consume(options: ConsumerOptions): Promise<Consumer>;
  read(options: ReaderOptions): Promise<Reader>;
  /**
   * Makes a topic with the settings that its records need if it is missing. Returns whether it was missing. For
   * programs that prepare topics, also if `createTopics` is off. Fails with BUS_TOPIC_UNFIT if this client may not
   * make it.
   */
  makeTopic(topic: string): Promise<boolean>;
  /**
   * Returns what the log holds of a topic now: one row for each partition. `startOffset` moves with retention. With
   * `beforeMs`, only records count that were appended before that time of the log's clock.
   */
  ranges(topic: string, beforeMs?: number): Promise<readonly PartitionRange[]>;
  /**
   * Returns the positions of groups with names that begin with `prefix`, with or without members. Groups that never had a
   * position are left out.
   */
  positions(prefix: string): Promise<readonly GroupPosition[]>;
  /** Returns one record by its position. Null if retention deleted it or it never existed. */
  at(position: LogPosition): Promise<LogRecord | null>;
  /** Resolves if the log answers now. Otherwise throws BUS_UNAVAILABLE. For readiness checks. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
