import { setTimeout as pause } from 'node:timers/promises';
import { isMandateError, type Logger } from '@mandate/runtime';
import { drain } from '../drain.ts';
import { closed } from '../errors.ts';
import type { Consumer, ConsumerOptions } from '../port.ts';
import { Commits } from './commits.ts';
import type { Connection } from './connection.ts';
import { Coordinator, type Membership, type TopicPartition } from './coordinator.ts';
import { Cursor } from './cursor.ts';
import { asBusError, innermost, isMembershipLost, isRebalancing, mayPass } from './failure.ts';
import { Fetcher } from './fetcher.ts';
import { Heartbeat, type HeartbeatResult } from './heartbeat.ts';
import { HeldPartition } from './held-partition.ts';
import { assignAsLeader, type LeaderAssignment, MISSED_MS } from './leader.ts';
import { fixStart, type Log, lagOf, nameOf, nextOffsets } from './positions.ts';
import { candidatesOf, decodeAssignment, joinMetadata } from './protocol.ts';

const DEFAULT_SESSION_TIMEOUT_MS = 10_000;
const DEFAULT_DRAIN_MS = 10_000;
/**
 * The number of heartbeats in one session. A member also learns of a new round by its heartbeats, so it sends at
 * least one each second.
 */
const BEATS_A_SESSION = 10;
const RAREST_BEAT_MS = 1_000;
/**
 * The share of the session timeout in which handlers must finish before a new round. The other members wait for this
 * member at most one session timeout.
 */
const DRAIN_SHARE_OF_SESSION = 0.8;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

/** The parts that the bus passes to a member. */
export type MemberParts = {
  /** The member's own connection, for group requests and fetches. */
  connection: Connection;
  /**
   * The connection of the bus. The member uses it to leave the group and to ask about the group, because a round of
   * joining never delays this connection.
   */
  shared: Connection;
  withinMs: number;
  /** Milliseconds between two checks of the leader for partitions that are not assigned yet. */
  freshMs: number;
  log: Log;
  isClosed(): boolean;
};

/** The result of joining a round. `leader` is null if another member is the leader. */
type Joined = { membership: Membership; partitions: TopicPartition[]; leader: LeaderAssignment | null };

/**
 * One member of a consumer group, in the rounds of Kafka's group protocol. All members join, the leader assigns the
 * partitions, and each member processes its own. A round ends when a member joins, leaves or follows other topics.
 * Before the next round every member waits until its handlers have finished their batches. So a partition moves only
 * between two batches.
 *
 * If a handler throws BUS_FENCED, another member has the partition. Then this member does not fail, but joins a new
 * round.
 */
export class GroupMember implements Consumer {
  readonly finished: Promise<void>;
  readonly #parts: MemberParts;
  readonly #options: ConsumerOptions;
  readonly #log: Logger;
  readonly #coordinator: Coordinator;
  readonly #fromOutside: Coordinator;
  readonly #fetcher: Fetcher;
  readonly #sessionTimeoutMs: number;
  readonly #stopping = new AbortController();
  readonly #stopped = aborted(this.#stopping.signal);
  readonly #finish = Promise.withResolvers<void>();
  /** The partitions of this member, by the name `topic/partition`. */
  #held = new Map<string, HeldPartition>();
  readonly #lastHandler = new Map<string, Promise<void>>();
  #topics: readonly string[];
  #memberId = '';
  /**
   * The membership of the last round in which this member got its partitions. Undefined after the group has removed
   * the member.
   */
  #heldSince: Membership | undefined;
  #heartbeat: Heartbeat | undefined;
  #newRound = Promise.withResolvers<'rebalancing'>();
  #failure: { error: unknown } | undefined;
  #ended: Promise<void> | undefined;

  constructor(parts: MemberParts, log: Logger, options: ConsumerOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#topics = options.topics;
    this.#log = log.child({ group: options.group });
    this.#coordinator = new Coordinator(parts.connection, options.group, parts.withinMs);
    this.#fromOutside = new Coordinator(parts.shared, options.group, parts.withinMs);
    this.#fetcher = new Fetcher(parts.connection, this.#log, {
      group: options.group,
      isSomethingGone: () => this.#isSomethingGone(),
    });
    this.#sessionTimeoutMs = options.sessionTimeoutMs ?? DEFAULT_SESSION_TIMEOUT_MS;
    this.finished = this.#finish.promise;
  }

  /**
   * Resolves when the start of the group is fixed and the member has begun to join. Joining continues afterwards,
   * even if other members take long.
   */
  async join(): Promise<void> {
    const partitions = await fixStart(this.#coordinator, this.#parts.log, this.#options);
    if (partitions.length > 0) {
      const what =
        'the group has no position in a partition that no longer begins at 0: the deleted records were perhaps never handled';
      this.#log.warn({ partitions }, what);
    }
    this.#runRounds().catch((error) => this.#fail(asBusError(error)));
  }

  stop(drainMs = DEFAULT_DRAIN_MS): Promise<void> {
    this.#ended ??= this.#end(drainMs);
    return this.#ended;
  }

  lag(): Promise<readonly { topic: string; partition: number; lag: number }[]> {
    return lagOf(this.#fromOutside, this.#parts.log, this.#topics);
  }

  /**
   * Asks for a new round with these topics, even if another round has just begun. If an earlier topic no longer
   * exists, the member still gets the other topics.
   */
  async follow(topics: readonly string[]): Promise<void> {
    await this.#parts.log.partitionsOf(topics.filter((topic) => !this.#topics.includes(topic)));
    this.#topics = [...topics];
    this.#newRound.resolve('rebalancing');
  }

  async #runRounds(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; ) {
      try {
        await this.#round();
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (signal.aborted) return;
        if (isMembershipLost(error)) this.#forgetMembership();
        else if (mayPass(error) || (isMandateError(error, 'BUS_UNAVAILABLE') && error.retryable)) {
          this.#log.warn({ err: innermost(error) }, 'cannot join the group; trying again');
        } else if (!isRebalancing(error)) throw error;
        await pause(pauseMs, undefined, { signal }).catch(() => {});
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
  }

  /**
   * Runs one round, from joining until the next round begins. At the end the member has released all its partitions.
   */
  async #round(): Promise<void> {
    const joined = await this.#join();
    if (joined === null) return;
    const heartbeat = this.#beat(joined.membership);
    try {
      const missed = await this.#take(joined.membership, joined.partitions);
      if ((await this.#endOfRound(heartbeat, joined.leader, missed)) === 'lost') {
        this.#log.warn(
          { member: this.#memberId },
          'removed from the group after missing heartbeats; joining again',
        );
        this.#forgetMembership();
      }
    } finally {
      // If the member stops, `#end` drains its handlers and keeps the heartbeats running. So this is skipped.
      if (!this.#stopping.signal.aborted) {
        await this.#releaseAll();
        heartbeat.stop();
      }
    }
  }

  async #join(): Promise<Joined | null> {
    this.#newRound = Promise.withResolvers();
    const joined = await this.#coordinator.join(
      {
        memberId: this.#memberId,
        sessionTimeoutMs: this.#sessionTimeoutMs,
        rebalanceTimeoutMs: this.#sessionTimeoutMs,
        protocol: joinMetadata(this.#topics, this.#heldSince === undefined ? [] : partitionsIn(this.#held)),
      },
      (memberId) => {
        if (this.#stopping.signal.aborted) throw closed();
        this.#memberId = memberId;
      },
    );
    const { memberId, generationId, leaderId } = joined;
    this.#memberId = memberId;
    if (this.#stopping.signal.aborted) return null;
    const { log, freshMs } = this.#parts;
    const leader =
      memberId === leaderId
        ? await assignAsLeader(candidatesOf(joined.members), { log, freshMs, logger: this.#log })
        : null;
    const membership = { memberId, generationId };
    const assigned = await this.#coordinator.sync(membership, leader?.assignment ?? []);
    return { membership, partitions: decodeAssignment(assigned), leader };
  }

  #beat(membership: Membership): Heartbeat {
    const everyMs = Math.min(this.#sessionTimeoutMs / BEATS_A_SESSION, RAREST_BEAT_MS);
    this.#heartbeat = new Heartbeat(this.#coordinator, membership, everyMs, this.#log);
    return this.#heartbeat;
  }

  /** @returns the assigned topics that do not exist. The member processes the other topics. */
  async #take(membership: Membership, given: readonly TopicPartition[]): Promise<string[]> {
    const { onAssigned } = this.#options;
    const topics = topicsOf(given);
    const present = await this.#parts.log.present(topics);
    const partitions = given.filter(({ topic }) => present.includes(topic));
    const before = this.#held;
    // True if this member was also in the previous round. Then no other member held its partitions in between.
    const isContinuous = this.#heldSince?.generationId === membership.generationId - 1;
    const fresh = partitions.filter((partition) => !(isContinuous && before.has(nameOf(partition))));
    const offsets = await nextOffsets(this.#coordinator, membership, this.#parts.log, partitions);
    const cursors = offsets.map((partition) => new Cursor(partition, () => this.#fetcher.nudge()));
    if (this.#stopping.signal.aborted) return [];
    const quiet = Promise.all(fresh.map((partition) => this.#lastHandler.get(nameOf(partition))));
    const loaded = quiet.then(() => (fresh.length > 0 ? onAssigned?.(fresh) : undefined));
    const coordinator = this.#coordinator;
    const commits = new Commits(coordinator, membership);
    const serving = { coordinator, membership, commits, isClosed: this.#parts.isClosed };
    this.#held = new Map();
    this.#heldSince = membership;
    for (const cursor of cursors) {
      const isFresh = fresh.some((partition) => nameOf(partition) === cursor.name);
      const ready = isFresh ? loaded : Promise.resolve(this.#lastHandler.get(cursor.name));
      const held = new HeldPartition(serving, this.#options, cursor, ready);
      this.#held.set(cursor.name, held);
      this.#lastHandler.set(
        cursor.name,
        held.done.catch((error) => this.#handlerThrew(held, error)),
      );
    }
    this.#fetcher.add(cursors);
    return topics.filter((topic) => !present.includes(topic));
  }

  /**
   * Asks for a new round without deleted topics. A broker names no leader for the other topics if a request includes
   * a deleted topic.
   */
  async #isSomethingGone(): Promise<boolean> {
    const topics = topicsOf(partitionsIn(this.#held));
    const present = await this.#parts.log.present(topics).catch(() => topics);
    if (present.length === topics.length) return false;
    this.#newRound.resolve('rebalancing');
    return true;
  }

  async #isBack(topics: readonly string[], signal: AbortSignal): Promise<void> {
    const { log } = this.#parts;
    while (!signal.aborted) {
      await pause(MISSED_MS, undefined, { signal }).catch(() => {});
      const found = await log.present(topics).catch(() => []);
      if (found.length > 0) return;
    }
  }

  /**
   * Resolves when the round ends: by a heartbeat, a fenced partition, a change of topics, unassigned partitions, or a
   * stop.
   */
  async #endOfRound(
    heartbeat: Heartbeat,
    leader: LeaderAssignment | null,
    missed: readonly string[],
  ): Promise<HeartbeatResult | 'stopped'> {
    const watching = new AbortController();
    const { signal } = watching;
    const found = [
      ...(leader === null ? [] : [leader.untilUnassigned(signal)]),
      ...(missed.length === 0 ? [] : [this.#isBack(missed, signal)]),
    ];
    try {
      return await Promise.race([
        heartbeat.result,
        this.#newRound.promise,
        this.#stopped.then(() => 'stopped' as const),
        ...found.map((each) => each.then(() => 'rebalancing' as const)),
      ]);
    } finally {
      watching.abort();
    }
  }

  /**
   * Waits until the handlers have finished their batches. A handler loses its partition if it takes longer than the
   * other members wait.
   */
  async #releaseAll(): Promise<void> {
    this.#fetcher.remove([...this.#held.values()].map(({ cursor }) => cursor));
    for (const held of this.#held.values()) held.release();
    const mostMs = this.#sessionTimeoutMs * DRAIN_SHARE_OF_SESSION;
    await Promise.race([drain(this.#handlers(), mostMs), this.#stopped]);
    if (this.#stopping.signal.aborted) return;
    for (const held of this.#held.values()) held.fence();
  }

  #handlers(): Promise<void>[] {
    return [...this.#lastHandler.values()];
  }

  /** Forgets the member's id and its partitions, because other members may have the partitions from now on. */
  #forgetMembership(): void {
    this.#memberId = '';
    this.#heldSince = undefined;
    this.#fetcher.remove([...this.#held.values()].map(({ cursor }) => cursor));
    for (const held of this.#held.values()) held.fence();
    this.#held = new Map();
  }

  #handlerThrew(held: HeldPartition, error: unknown): void {
    if (!isMandateError(error, 'BUS_FENCED')) {
      this.#fail(error);
      return;
    }
    held.fence();
    this.#newRound.resolve('rebalancing');
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    void this.stop();
  }

  async #end(drainMs: number): Promise<void> {
    this.#stopping.abort();
    for (const held of this.#held.values()) held.release();
    await drain(this.#handlers(), drainMs);
    for (const held of this.#held.values()) held.fence();
    this.#fetcher.stop();
    this.#heartbeat?.stop();
    try {
      if (this.#memberId !== '') await this.#fromOutside.leave(this.#memberId);
    } catch (error) {
      this.#log.warn(
        { err: error },
        'left the group without a message; the other members notice the missing heartbeats',
      );
    }
    this.#parts.connection.close();
    if (this.#failure === undefined) this.#finish.resolve();
    else this.#finish.reject(this.#failure.error);
  }
}

function partitionsIn(held: ReadonlyMap<string, HeldPartition>): TopicPartition[] {
  return [...held.values()].map(({ cursor: { topic, partition } }) => ({ topic, partition }));
}

function topicsOf(partitions: readonly TopicPartition[]): string[] {
  return [...new Set(partitions.map(({ topic }) => topic))];
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
