import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '@mandate/runtime';
import { offsetLost } from '../errors.ts';
import type { Cluster } from './client.ts';
import type { Connection } from './connection.ts';
import type { Cursor } from './cursor.ts';
import { answerOf, asBusError, innermost, mayPass } from './failure.ts';
import { type Asked, fetchRecords, type Refused } from './fetch-records.ts';
import { rangesOf } from './ranges.ts';

/** Milliseconds that a broker may wait for new records before it answers a fetch. */
const IDLE_WAIT_MS = 250;
/**
 * Milliseconds that a broker may wait while some of its partitions are paused. When a paused partition can take
 * records again, it must not wait long for the next fetch.
 */
const BUSY_WAIT_MS = 50;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 1_000;

/**
 * Fetches records for cursors, with one fetch at a time from each broker that leads some of the partitions. Retries
 * without a limit while brokers are down. Do not use the fetcher's connection for urgent requests: a broker answers a
 * connection's requests in order, and a fetch may wait for records.
 */
export class Fetcher {
  readonly #connection: Connection;
  readonly #log: Logger;
  readonly #group: string | undefined;
  readonly #isSomethingGone: () => Promise<boolean>;
  readonly #cursors = new Set<Cursor>();
  readonly #served = new Set<string>();
  #isStopped = false;
  #isSupplying = false;
  #room = Promise.withResolvers<void>();

  /**
   * @param reads `group`: the reader, for error texts. `isSomethingGone`: called when a broker does not know a topic.
   * If the topic no longer exists, `isSomethingGone` must remove the cursors of the topic
   */
  constructor(
    connection: Connection,
    log: Logger,
    reads: { group?: string; isSomethingGone?(): Promise<boolean> } = {},
  ) {
    this.#connection = connection;
    this.#log = log;
    this.#group = reads.group;
    this.#isSomethingGone = reads.isSomethingGone ?? (async () => false);
  }

  add(cursors: readonly Cursor[]): void {
    for (const cursor of cursors) this.#cursors.add(cursor);
    this.nudge();
    void this.#supply();
  }

  remove(cursors: Iterable<Cursor>): void {
    for (const cursor of cursors) this.#cursors.delete(cursor);
  }

  /** Wakes the fetcher. Call this when a cursor may need records again. */
  nudge(): void {
    this.#room.resolve();
    this.#room = Promise.withResolvers();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cursors.clear();
    this.nudge();
  }

  /** Fetches from every broker that leads a partition of a cursor. Adapts when leaders move. */
  async #supply(): Promise<void> {
    if (this.#isSupplying) return;
    this.#isSupplying = true;
    for (let pauseMs = FIRST_PAUSE_MS; !this.#isStopped; pauseMs = longer(pauseMs)) {
      try {
        const leaders = await this.#byLeader();
        for (const nodeId of leaders.keys()) void this.#serve(nodeId);
        break;
      } catch (error) {
        await this.#recover(error, [], pauseMs);
      }
    }
    this.#isSupplying = false;
  }

  async #serve(nodeId: string): Promise<void> {
    if (this.#served.has(nodeId)) return;
    this.#served.add(nodeId);
    let pauseMs = FIRST_PAUSE_MS;
    while (!this.#isStopped) {
      const room = this.#room.promise;
      let asked: Asked[] = [];
      try {
        const mine = (await this.#byLeader()).get(nodeId) ?? [];
        if (mine.length === 0) break;
        const hungry = mine.filter((cursor) => cursor.hasRoom);
        asked = hungry.map((cursor) => ({ cursor, offset: cursor.fetchOffset }));
        if (asked.length === 0) {
          await room;
          continue;
        }
        const waitMs = hungry.length === mine.length ? IDLE_WAIT_MS : BUSY_WAIT_MS;
        const refused = await this.#fetch(nodeId, asked, waitMs);
        if (refused.length === 0) {
          pauseMs = FIRST_PAUSE_MS;
          continue;
        }
        for (const alike of Map.groupBy(refused, ({ error }) => answerOf(error)).values()) {
          await this.#recover(
            alike[0]?.error,
            alike.map((each) => each.asked),
            pauseMs,
          );
        }
        pauseMs = longer(pauseMs);
        void this.#supply();
      } catch (error) {
        await this.#recover(error, asked, pauseMs);
        pauseMs = longer(pauseMs);
        void this.#supply();
      }
    }
    this.#served.delete(nodeId);
    if (this.#cursors.size > 0) void this.#supply();
  }

  async #fetch(nodeId: string, asked: readonly Asked[], waitMs: number): Promise<Refused[]> {
    const cluster = await this.#connection.cluster();
    const broker = await cluster.findBroker({ nodeId });
    return fetchRecords(broker, asked, waitMs, ({ cursor, arrived, endOffset }) => {
      if (!this.#cursors.has(cursor)) return;
      cursor.arrive(arrived, endOffset);
      const { missing, nextOffset } = arrived;
      if (missing !== null)
        cursor.fail(this.#lost(cursor, missing, { startOffset: nextOffset + 1, endOffset }));
    });
  }

  async #byLeader(): Promise<Map<string, Cursor[]>> {
    const cluster = await this.#connection.cluster();
    const cursors = [...this.#cursors].filter((cursor) => !cursor.hasFailed);
    await cluster.addMultipleTargetTopics([...new Set(cursors.map(({ topic }) => topic))]);
    return Map.groupBy(cursors, ({ topic, partition }) => leaderIn(cluster, topic, partition));
  }

  async #recover(error: unknown, asked: readonly Asked[], pauseMs: number): Promise<void> {
    if (this.#isStopped) return;
    if (answerOf(error) === 'OFFSET_OUT_OF_RANGE') {
      await this.#judgeRange(asked).catch(() => {});
    } else if (answerOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION' && (await this.#isSomethingGone())) {
      this.#log.warn('a topic was deleted; reading continues without it');
    } else if (mayPass(error)) {
      this.#log.warn({ err: innermost(error) }, 'no records can be fetched; trying again');
      await this.#connection.recover(error);
    } else {
      const failed = asked.length > 0 ? asked.map(({ cursor }) => cursor) : this.#cursors;
      for (const cursor of failed) cursor.fail(asBusError(error));
    }
    await pause(pauseMs);
  }

  async #judgeRange(asked: readonly Asked[]): Promise<void> {
    for (const { cursor, offset } of asked) {
      const cluster = await this.#connection.cluster();
      const [range] = await rangesOf(cluster, cursor.topic, [cursor.partition]).catch(() => []);
      const isWithin = range === undefined || (offset >= range.startOffset && offset <= range.endOffset);
      if (!isWithin) cursor.fail(this.#lost(cursor, offset, range));
    }
  }

  #lost(
    { topic, partition }: Cursor,
    wanted: number,
    range: { startOffset: number; endOffset: number },
  ): Error {
    const { startOffset, endOffset } = range;
    const group = this.#group === undefined ? {} : { group: this.#group };
    return offsetLost({ topic, partition, wanted, startOffset, endOffset, ...group });
  }
}

function leaderIn(cluster: Cluster, topic: string, partition: number): string {
  const [nodeId = '-1'] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  return nodeId;
}

function longer(pauseMs: number): number {
  return Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
}
