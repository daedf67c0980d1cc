/**
 * @mandate/bus: how events move. One port (port.ts), and the logs that implement it. Requests, decisions and every
 * change travel over it, and everything else that Mandate stores can be rebuilt from it.
 *
 * What every implementation promises stands in port.ts and is held to by contract.ts, which is exported apart as
 * `@mandate/bus/contract` because it needs a test runner.
 *
 * `kafka/` is the log of many machines: brokers, through kafkajs. Its parts, from the brokers upwards: client (what of
 * kafkajs is used, and why no more), connection (tries again, mends), topics (made and checked), append over
 * partition-queue, batches, cursor and fetcher (reading), coordinator, protocol and leader (a group), pulse, group-member and
 * held-partition, log-reader; create-kafka-bus puts them together.
 *
 * `sqlite/` is the embedded log: one file, no server, several processes of one machine. Durable across `kill -9`.
 * Its parts, from the file upwards: open-file, writer (group commit), topics, append, bounds and fetch (reading),
 * changes (who wakes whom), membership over group-rows and assignment, group-member and held-partition, log-reader,
 * retention; create-sqlite-bus puts them together.
 *
 * `snapshots/` is where folds of the log lie, so that the next one need not begin at its start: on a topic, or in a file
 * beside the log's. What they hold is lines of text to it.
 */
export { recordUnreadable } from './errors.ts';
export { createKafkaBus, type KafkaBusOptions } from './kafka/create-kafka-bus.ts';
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
  Coordinate,
  GroupPosition,
  Headers,
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
