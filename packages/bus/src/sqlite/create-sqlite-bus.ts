import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Logger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { closed, unavailable } from '../errors.ts';
import { InFlight } from '../in-flight.ts';
import type { Bus } from '../port.ts';
import { Appender } from './append.ts';
import { Bounds } from './bounds.ts';
import { Changes } from './changes.ts';
import { Checkpointer } from './checkpointer.ts';
import { asBusError, untilFree } from './failure.ts';
import { fetchRecords } from './fetch.ts';
import { GroupMember } from './group-member.ts';
import { GroupRows } from './group-rows.ts';
import { Heads } from './heads.ts';
import { LogReader } from './log-reader.ts';
import { Membership } from './membership.ts';
import { openFile, writeLayoutAgain } from './open-file.ts';
import { Retention } from './retention.ts';
import { Tail } from './tail.ts';
import { Topics } from './topics.ts';
import { Writer } from './writer.ts';

export type SqliteBusOptions = {
  /**
   * The path of the file. A missing file or folder is created. SQLite stores its `-wal` and `-shm` files in the same
   * folder.
   */
  path: string;
  log: Logger;
  /** The number of partitions of a new topic. Default 8. */
  partitions?: number;
  /** The number of partitions of single new topics, by topic name. */
  partitionsByTopic?: Readonly<Record<string, number>>;
  /** NORMAL (default) survives `kill -9`. FULL also survives a power loss, but needs one sync for each commit. */
  synchronous?: 'NORMAL' | 'FULL';
  /** Returns the time of the log's clock, in epoch ms. */
  clock?: () => number;
  /** The maximum number of records that are appended and not yet acknowledged. Default 100,000 records, 64 MiB. */
  maxInFlightRecords?: number;
  maxInFlightBytes?: number;
  /**
   * Milliseconds that an append waits when `maxInFlightRecords` is reached, before it fails with BUS_OVERLOADED.
   * Default 5,000.
   */
  overloadWaitMs?: number;
  /**
   * Milliseconds that a call waits for a file locked by another process, before it fails with BUS_UNAVAILABLE.
   * Default 5,000.
   */
  busyWaitMs?: number;
  /**
   * Milliseconds that records are kept, by topic or by the part of its name before a dot. Default: actions 7 days,
   * others without a limit.
   */
  retentionMs?: Readonly<Record<string, number>>;
  /** Milliseconds between two searches for old records. Default 5 minutes. */
  sweepEveryMs?: number;
};

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Opens the log in a SQLite file. Several processes may have the same file open. Fails with BUS_UNAVAILABLE. */
export async function createSqliteBus(options: SqliteBusOptions): Promise<Bus> {
  const { path, log, clock = Date.now, busyWaitMs = 5_000 } = options;
  const db = await openFile(path, options.synchronous ?? 'NORMAL', busyWaitMs, log);
  const inode = statSync(path).ino;
  const changes = new Changes(db);
  const heads = new Heads(db, clock);
  const tail = new Tail(db);
  const checkpointer = new Checkpointer(db, path, log);
  const edges = {
    beforeCommit: () => heads.beforeCommit(),
    afterCommit: (bytes: number) => {
      tail.afterCommit();
      checkpointer.committed(bytes);
    },
    afterRollback: () => {
      heads.afterRollback();
      tail.afterRollback();
    },
  };
  const writer = new Writer(db, changes, edges, busyWaitMs);
  const counts = { byDefault: options.partitions ?? 8, byTopic: options.partitionsByTopic ?? {} };
  const topics = new Topics(db, writer, counts, busyWaitMs, log);
  const bounds = new Bounds(db, tail);
  const groups = new GroupRows(db);
  const membership = new Membership(writer, groups);
  const inFlight = new InFlight({
    records: options.maxInFlightRecords ?? 100_000,
    bytes: options.maxInFlightBytes ?? 64 * 1024 * 1024,
    waitMs: options.overloadWaitMs ?? 5_000,
  });
  const appender = new Appender({ topics, writer, heads, tail, inFlight });
  const retention = new Retention({
    db,
    writer,
    topics,
    bounds,
    tail,
    options: {
      ageMs: options.retentionMs ?? { [TOPICS.actions]: 7 * DAY_MS },
      sweepEveryMs: options.sweepEveryMs ?? 5 * 60_000,
    },
    clock,
    log,
  });
  retention.start();

  const running = new Set<{ stop(): Promise<void> }>();
  const partitionsOf = async (names: readonly string[]) => {
    const wanted = await Promise.all([...new Set(names)].map((name) => topics.get(name)));
    return wanted.flatMap(({ partitions }) => partitions);
  };
  let closing: Promise<void> | undefined;
  const mustBeOpen = () => {
    if (closing !== undefined) throw closed();
  };

  return {
    system: 'sqlite',
    async append(topic, records, options) {
      mustBeOpen();
      return appender.append(topic, records, options);
    },
    async consume(wanted) {
      mustBeOpen();
      const parts = { bounds, changes, membership, busyWaitMs };
      const member = new GroupMember(parts, log, wanted, await partitionsOf(wanted.topics));
      mustBeOpen();
      // The member is added before it joins, so that a close during the join also ends its membership.
      running.add(member);
      await member.join();
      return {
        finished: member.finished,
        async lag() {
          mustBeOpen();
          return member.lag();
        },
        async follow(topics) {
          mustBeOpen();
          await member.follow(topics, await partitionsOf(topics));
        },
        stop: (drainMs) => member.stop(drainMs).finally(() => running.delete(member)),
      };
    },
    async read(wanted) {
      mustBeOpen();
      const partitions = await partitionsOf(wanted.topics);
      mustBeOpen();
      const parts = { bounds, changes, busyWaitMs };
      const reader = await untilFree(() => new LogReader(parts, wanted, partitions), busyWaitMs);
      running.add(reader);
      const ended = () => running.delete(reader);
      reader.finished.then(ended, ended);
      return {
        caughtUp: reader.caughtUp,
        finished: reader.finished,
        positions: () => reader.positions(),
        stop: () => reader.stop(),
      };
    },
    async makeTopic(topic) {
      mustBeOpen();
      const isMissing = !(await untilFree(() => topics.names(), busyWaitMs)).includes(topic);
      await topics.get(topic);
      return isMissing;
    },
    async ranges(topic, beforeMs) {
      mustBeOpen();
      const { partitions } = await topics.get(topic);
      mustBeOpen();
      return untilFree(
        () =>
          partitions.map((partition) => ({
            topic,
            partition: partition.partition,
            ...(beforeMs === undefined ? bounds.of(partition) : bounds.before(partition, beforeMs)),
          })),
        busyWaitMs,
      );
    },
    async positions(prefix) {
      mustBeOpen();
      return untilFree(() => groups.positionsOfAll(prefix), busyWaitMs);
    },
    async at({ topic, partition: number, offset }) {
      mustBeOpen();
      const partition = (await topics.get(topic)).partitions[number];
      mustBeOpen();
      if (partition === undefined) return null;
      const [record] = await untilFree(() => fetchRecords(partition, offset, 1), busyWaitMs);
      return record?.position.offset === offset ? record : null;
    },
    async ping() {
      mustBeOpen();
      probe(db, path, inode);
      // A test write is needed here. Reads still work if another process locks the file or the disk is full.
      await writer.submit(() => writeLayoutAgain(db));
    },
    close() {
      closing ??= (async () => {
        await retention.stop();
        await Promise.all([...running].map((each) => each.stop()));
        await appender.settled();
        await writer.close();
        await checkpointer.close();
        db.close();
      })();
      return closing;
    },
  };
}

/**
 * Throws if the file was deleted or replaced. Processes that have the old file open can still use it, but lose
 * everything that they write.
 */
function probe(db: DatabaseSync, path: string, inode: number): void {
  try {
    db.prepare('SELECT 1 FROM partitions LIMIT 1').get();
  } catch (error) {
    throw asBusError(error);
  }
  if (statSync(path, { throwIfNoEntry: false })?.ino !== inode) {
    throw unavailable(`${path} is no longer the file that was opened`, { retryable: false });
  }
}
