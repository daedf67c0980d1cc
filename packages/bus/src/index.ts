/**
 * @mandate/bus moves the events. It has one port (port.ts) and the logs that implement the port. Requests, decisions
 * and all changes are records of the log. Everything else that Mandate stores can be rebuilt from the log.
 *
 * port.ts says what every implementation promises. contract.ts tests it. The contract has its own entry,
 * `@mandate/bus/contract`, because it needs a test runner.
 *
 * `kafka/` is the log for many machines: brokers, through kafkajs. Its parts, from the brokers upwards: client (what
 * Mandate uses of kafkajs, and why no more), connection (retries and reconnects), topics (creates and checks them),
 * append with partition-queue, batches, cursor and fetcher (reading), coordinator, protocol and leader (a group),
 * heartbeat, group-member and held-partition, log-reader. create-kafka-bus combines the parts. It has its own entry,
 * `@mandate/bus/kafka`, so that a process without brokers does not load kafkajs. `openLog` loads it when it is needed.
 *
 * `sqlite/` is the embedded log: one file, no server, several processes of one machine. It survives `kill -9`. Its
 * parts, from the file upwards: open-file, writer (group commit), topics, append, bounds and fetch (reading), changes
 * (wakes waiting readers), membership with group-rows and assignment, group-member and held-partition, log-reader,
 * retention. create-sqlite-bus combines the parts.
 *
 * `snapshots/` stores snapshots of state that was computed from the log, on a topic or in a file beside the log. So
 * the next computation need not begin at the start of the log. For this package a snapshot is lines of text.
 */
export { recordUnreadable } from './errors.ts';
export type { KafkaConfig, SaslConfig } from './kafka/kafka-config.ts';
export { keyPartition } from './key-partition.ts';
export { nextOffset } from './next-offset.ts';
export { openLog } from './open-log.ts';
export type {
  Acknowledged,
  Batch,
  Bus,
  Consumer,
  ConsumerOptions,
  GroupPosition,
  Headers,
  LogPosition,
  LogRecord,
  Outgoing,
  PartitionRange,
  Reader,
  ReaderOptions,
  UnreadableBatch,
} from './port.ts';
export { fileSnapshots } from './snapshots/file-snapshots.ts';
export { openSnapshots } from './snapshots/open-snapshots.ts';
export type { SavedSnapshot, Snapshots, StoredSnapshot } from './snapshots/port.ts';
export { topicSnapshots } from './snapshots/topic-snapshots.ts';
export { newestUsable, usable } from './snapshots/usable-snapshot.ts';
export { createSqliteBus, type SqliteBusOptions } from './sqlite/create-sqlite-bus.ts';
export { untilCommitted } from './until-committed.ts';
