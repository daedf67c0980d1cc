import { randomUUID } from 'node:crypto';
import { isMandateError, type Logger } from '@mandate/runtime';
import { drain } from '../drain.ts';
import type { ConsumerOptions } from '../port.ts';
import { groupChanged } from './changes.ts';
import { untilFree } from './failure.ts';
import type { Member } from './group-rows.ts';
import { HeldPartition, type LogParts } from './held-partition.ts';
import type { Holding } from './membership.ts';
import { processIdentity } from './process-identity.ts';
import type { Partition } from './topics.ts';

const DEFAULT_SESSION_TIMEOUT_MS = 10_000;
const DEFAULT_DRAIN_MS = 10_000;

/**
 * One member of a consumer group. It keeps its membership alive, and takes and releases partitions as the group
 * changes.
 *
 * If a handler throws BUS_FENCED, another member has the partition. Then this member does not fail, but continues
 * with its other partitions.
 */
export class GroupMember {
  readonly finished: Promise<void>;
  readonly #log: LogParts;
  readonly #logger: Logger;
  readonly #options: ConsumerOptions;
  /**
   * All partitions of all topics that this member ever followed, by id. The member may still hold a partition of a
   * topic that it no longer follows.
   */
  readonly #partitions: Map<number, Partition>;
  readonly #sessionTimeoutMs: number;
  readonly #held = new Map<number, HeldPartition>();
  /** For each partition, a promise that resolves when the last handler of this member has ended. */
  readonly #lastHandler = new Map<number, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #finish = Promise.withResolvers<void>();
  #topics: readonly string[];
  #member: Member;
  #failure: { error: unknown } | undefined;
  #ended: Promise<void> | undefined;

  constructor(log: LogParts, logger: Logger, options: ConsumerOptions, partitions: readonly Partition[]) {
    this.#log = log;
    this.#logger = logger.child({ group: options.group });
    this.#options = options;
    this.#topics = options.topics;
    this.#partitions = new Map(partitions.map((partition) => [partition.id, partition]));
    this.#sessionTimeoutMs = options.sessionTimeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS;
    this.#member = this.#newMember();
    this.finished = this.#finish.promise;
  }

  async join(): Promise<void> {
    await this.#log.membership.join(this.#member, [...this.#partitions.values()], this.#options.from);
    this.#followGroup().catch((error) => this.#fail(error));
  }

  stop(drainMs = DEFAULT_DRAIN_MS): Promise<void> {
    this.#ended ??= this.#end(drainMs);
    return this.#ended;
  }

  async lag(): Promise<readonly { topic: string; partition: number; lag: number }[]> {
    const { membership, bounds, busyWaitMs } = this.#log;
    return untilFree(() => {
      const positions = membership.positions(this.#options.group);
      const followed = [...this.#partitions.values()].filter(({ topic }) => this.#topics.includes(topic));
      return followed.map((partition) => ({
        topic: partition.topic,
        partition: partition.partition,
        lag: bounds.of(partition).endOffset - (positions.get(partition.id) ?? 0),
      }));
    }, busyWaitMs);
  }

  /** @param partitions all partitions of these topics */
  async follow(topics: readonly string[], partitions: readonly Partition[]): Promise<void> {
    // The partitions must be added first. As soon as the group knows the topics, it may assign these partitions.
    for (const partition of partitions) this.#partitions.set(partition.id, partition);
    this.#topics = [...topics];
    this.#member = { ...this.#member, topics: this.#topics };
    await this.#log.membership.follow(this.#member, partitions);
  }

  #newMember(): Member {
    const { group } = this.#options;
    const sessionTimeoutMs = this.#sessionTimeoutMs;
    return { id: randomUUID(), group, topics: this.#topics, sessionTimeoutMs, process: processIdentity() };
  }

  /**
   * Reads the assignment of this member after each change of the group. Also reads it four times a session, because
   * the group expels a silent member.
   */
  async #followGroup(): Promise<void> {
    const { membership, changes, busyWaitMs } = this.#log;
    const { group } = this.#options;
    const { signal } = this.#stopping;
    const read = () => untilFree(() => membership.generation(group), busyWaitMs);
    while (!signal.aborted) {
      const generation = await read();
      await this.#heartbeat();
      const due = performance.now() + this.#sessionTimeoutMs / 4;
      while (!signal.aborted && (await read()) === generation) {
        const left = due - performance.now();
        if (left <= 0) break;
        await changes.next([groupChanged(group)], signal, left);
      }
    }
  }

  async #heartbeat(): Promise<void> {
    try {
      const share = await this.#log.membership.heartbeat(this.#member);
      if (this.#stopping.signal.aborted) return;
      if (share === null) return await this.#joinAgain();
      for (const holding of share.surplus) this.#release(holding);
      const fresh = share.holds.filter(({ partitionId }) => !this.#held.has(partitionId));
      if (fresh.length > 0) this.#take(fresh);
    } catch (error) {
      if (!isMandateError(error, 'BUS_UNAVAILABLE') || !error.retryable) throw error;
      this.#logger.warn({ err: error }, 'the state of the group cannot be updated; trying again');
    }
  }

  /** Called after the group expelled this member. Other members may already have all its partitions. */
  async #joinAgain(): Promise<void> {
    this.#logger.warn(
      { member: this.#member.id },
      'removed from the group after missing heartbeats; joining again',
    );
    for (const held of this.#held.values()) held.release();
    this.#held.clear();
    this.#member = this.#newMember();
    await this.#log.membership.join(this.#member, [...this.#partitions.values()], this.#options.from);
  }

  #take(fresh: readonly Holding[]): void {
    const taken = fresh.flatMap((holding) => {
      const partition = this.#partitions.get(holding.partitionId);
      return partition === undefined ? [] : [{ holding, partition }];
    });
    const ready = Promise.all(taken.map(({ partition }) => this.#lastHandler.get(partition.id))).then(() =>
      this.#options.onAssigned?.(taken.map(({ partition: { topic, partition } }) => ({ topic, partition }))),
    );
    for (const { holding, partition } of taken) {
      const held = new HeldPartition(this.#log, this.#member, this.#options, partition, holding, ready);
      this.#held.set(partition.id, held);
      this.#lastHandler.set(
        partition.id,
        held.done.catch((error) => this.#handlerThrew(held, error)),
      );
    }
  }

  #handlerThrew(held: HeldPartition, error: unknown): void {
    if (!isMandateError(error, 'BUS_FENCED')) {
      this.#fail(error);
      return;
    }
    held.release();
    if (this.#held.get(held.partition.id) === held) this.#held.delete(held.partition.id);
  }

  /**
   * Waits until the handler has finished its batch, but at most one session. After that, another member may take the
   * partition.
   */
  #release(holding: Holding): void {
    const held = this.#held.get(holding.partitionId);
    if (held?.isLetGo) return;
    held?.release();
    const member = this.#member;
    drain(held === undefined ? [] : [held.done], this.#sessionTimeoutMs)
      .then(() => {
        if (this.#held.get(holding.partitionId) === held) this.#held.delete(holding.partitionId);
        return this.#log.membership.release(member, holding);
      })
      .catch((error) => this.#logger.warn({ err: error }, 'a partition could not be released; trying again'));
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    void this.stop();
  }

  async #end(drainMs: number): Promise<void> {
    this.#stopping.abort();
    for (const held of this.#held.values()) held.release();
    await drain([...this.#lastHandler.values()], drainMs);
    try {
      await this.#log.membership.leave(this.#member);
    } catch (error) {
      this.#logger.warn(
        { err: error },
        'left the group without a message; the other members notice the missing heartbeats',
      );
    }
    if (this.#failure === undefined) this.#finish.resolve();
    else this.#finish.reject(this.#failure.error);
  }
}
