/**
 * The port of the log: the functions that Mandate needs of Kafka, or of a SQLite file on one machine.
 *
 * A topic has partitions. A record's key decides its partition, and a partition keeps the order. A record is always
 * identified by its position. Delivery to a consumer group is at least once: the position moves only when the handler
 * commits, after its work. Every implementation passes `contract.ts`.
 */

import type { MandateError } from '@mandate/runtime';
import type { LogPosition, WrittenRecord } from '@mandate/schemas';

export type { LogPosition };

export type Headers = Readonly<Record<string, string>>;

/**
 * A record to append. `key: null` means that the order of the record does not matter. `partition` takes precedence
 * over the key.
 */
export type Outgoing = {
  key: string | null;
  value: string | Uint8Array;
  headers?: Headers;
  partition?: number;
  /**
   * The same record as an object; `value` is its JSON text. The embedded log passes the object to readers of the same
   * process, so the object must not change any more.
   */
  written?: WrittenRecord;
};

/**
 * A record from the log. `value` has the bytes as written. `appendedAtMs` is the time on the log's clock, never on
 * the writer's.
 */
export type LogRecord = {
  position: LogPosition;
  key: string | null;
  value: Uint8Array;
  headers: Headers;
  appendedAtMs: number;
  /**
   * The object from which this process wrote `value`. Absent if another process wrote the record, or if this process
   * wrote it some time ago.
   */
  written?: WrittenRecord;
  /**
   * Set if this entry is not a record but a batch that cannot be read. Only consumers with `takesUnreadable` get such
   * batches.
   */
  unreadable?: UnreadableBatch;
};

/**
 * A batch that no reader can split into records: it is damaged, its codec is unknown, or it would use all memory. The
 * batch is handed over in place of its records. `position` has the offset of the first of these records, and `value`
 * contains the whole batch from the log. The SQLite log has no such batches.
 */
export type UnreadableBatch = { lastOffset: number; reason: string };

/** The result of an append: the log contains the record at this position. */
export type Acknowledged = { position: LogPosition; appendedAtMs: number };

/** Consecutive records of one partition, handed to one member of a group. Never empty. */
export type Batch = {
  topic: string;
  partition: number;
  records: readonly LogRecord[];
  /**
   * The offset that the next appended record of this partition will get. The value comes from the time when the batch
   * was read.
   */
  endOffset: number;
  /**
   * Moves the group's position. `nextOffset` is the first offset that is NOT done. Call it after the work is done and
   * acknowledged. Fails with BUS_FENCED if the partition now belongs to another member, and with BUS_MISUSED if
   * `nextOffset` is outside of this batch. The position never moves back.
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
  /** The position at which a group starts if it has no committed position. */
  from: 'earliest' | 'latest';
  /** The maximum number of records in a batch. A batch of large records has fewer (batch-bytes.ts). Default 500. */
  maxBatch?: number;
  /**
   * If true, unreadable batches are handed over too, and a commit after such a batch skips its records. Otherwise,
   * and for all readers, an unreadable batch fails with BUS_UNREADABLE, and no later record is handed over.
   */
  takesUnreadable?: boolean;
  /** Milliseconds. A member loses its partitions if it sends no heartbeat for this long. Default 10,000. */
  sessionTimeoutMs?: number;
  /**
   * Called before the first batch of each newly assigned partition, for example to load data. A member handles one
   * batch of a partition at a time, and different partitions concurrently.
   */
  onAssigned?(partitions: readonly { topic: string; partition: number }[]): Promise<void>;
  /**
   * Called for a partition that cannot continue (BUS_OFFSET_LOST, BUS_UNREADABLE). This partition halts and the
   * others continue. If another member gets the partition later, its `onHalted` is called too. Without `onHalted`,
   * such a partition ends the consumer.
   */
  onHalted?(partition: { topic: string; partition: number }, error: MandateError): void;
  /**
   * If the handler returns without a commit, it gets the same records again. If the handler throws, the consumer ends
   * (see `finished`). BUS_FENCED is an exception: the partition is lost, and the consumer continues with its other
   * partitions.
   */
  onBatch(batch: Batch): Promise<void>;
};

export type Consumer = {
  /** Resolves after `stop()`. Rejects if the handler threw, or if a partition cannot continue (see `onHalted`). */
  finished: Promise<void>;
  /**
   * Stops gracefully: starts no new batch, waits for running batches (at most `drainMs`, default 10,000), and leaves
   * the group.
   */
  stop(drainMs?: number): Promise<void>;
  /**
   * Returns the lag metric: the number of uncommitted records of the group, for every partition of its topics,
   * including partitions of other members.
   */
  lag(): Promise<readonly { topic: string; partition: number; lag: number }[]>;
  /**
   * Follows these topics and no others from now on. Partitions move between batches, as when members join and leave.
   * A partition without a position of the group begins at its start, even if `from` is `latest`. Members of a group
   * may follow different topics. The members that follow a topic share its partitions. Fails with BUS_TOPIC_UNFIT if
   * a new topic cannot be read. Then nothing has changed.
   */
  follow(topics: readonly string[]): Promise<void>;
};

export type ReaderOptions = {
  topics: readonly string[];
  /**
   * `earliest`, `latest` (only new records), or the first wanted offset by `topic/partition`. A partition without an
   * offset starts at the earliest.
   */
  from: 'earliest' | 'latest' | Readonly<Record<string, number>>;
  /** The maximum number of records in a call. A call with large records has fewer. Default 1,000. */
  maxBatch?: number;
  onRecords(records: readonly LogRecord[]): Promise<void> | void;
};

/**
 * Reads every partition, without a group and without commits: for projections, snapshots, and callers that wait for a
 * decision.
 */
export type Reader = {
  /**
   * Resolves when the reader has handed over all records that were on the log at its start. Rejects if the reader
   * ends before that.
   */
  caughtUp: Promise<void>;
  /**
   * Resolves after `stop()`. Rejects if the handler threw, if the next offset is no longer on the log
   * (BUS_OFFSET_LOST), or if the next batch cannot be read (BUS_UNREADABLE).
   */
  finished: Promise<void>;
  /** Returns the next offset to read, by `topic/partition`. */
  positions(): Readonly<Record<string, number>>;
  stop(): Promise<void>;
};

export type PartitionRange = { topic: string; partition: number; startOffset: number; endOffset: number };

/** How far a group has committed. `nextOffset` is the first offset that is not done. */
export type GroupPosition = { group: string; topic: string; partition: number; nextOffset: number };

export type AppendOptions = {
  /**
   * If true, these records do not wait for earlier records, even of the same key, or for the limit of records in
   * flight. For the few records that must reach the log under any load: operators' commands that stop agents.
   */
  urgent?: boolean;
};

export interface Bus {
  /** The kind of log. Traces contain this name. */
  readonly system: 'kafka' | 'sqlite';
  /**
   * Appends in the given order. Resolves when the log contains every record, with their positions in the same order.
   * Fails as a whole within limited time (BUS_UNAVAILABLE, retryable). After an error some records may be on the log.
   * Waits while too many records are in flight, and fails with BUS_OVERLOADED if the wait is too long.
   */
  append(
    topic: string,
    records: readonly Outgoing[],
    options?: AppendOptions,
  ): Promise<readonly Acknowledged[]>;
  consume(options: ConsumerOptions): Promise<Consumer>;
  read(options: ReaderOptions): Promise<Reader>;
  /**
   * Creates a missing topic with the settings that its records need. Returns whether it was missing. For programs
   * that prepare topics, even if `createTopics` is off. Fails with BUS_TOPIC_UNFIT if this client may not create the
   * topic.
   */
  makeTopic(topic: string): Promise<boolean>;
  /**
   * Returns the offset range of each partition of a topic now. `startOffset` moves with retention. With `beforeMs`,
   * only records count that were appended before that time of the log's clock.
   */
  ranges(topic: string, beforeMs?: number): Promise<readonly PartitionRange[]>;
  /**
   * Returns the positions of groups with names that begin with `prefix`, including groups without members. Groups that
   * never had a position are left out.
   */
  positions(prefix: string): Promise<readonly GroupPosition[]>;
  /** Returns one record by its position. Null if retention deleted it or it never existed. */
  at(position: LogPosition): Promise<LogRecord | null>;
  /** Resolves if the log answers now. Otherwise throws BUS_UNAVAILABLE. For readiness checks. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
