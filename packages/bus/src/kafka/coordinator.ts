import { isMandateError } from '@mandate/runtime';
import { fenced } from '../errors.ts';
import { type Broker, type Cluster, type JoinedGroup, joinGroup } from './client.ts';
import type { Connection } from './connection.ts';
import { answerOf, asBusError, isMembershipLost, isRebalancing } from './failure.ts';

export type TopicPartition = { topic: string; partition: number };
/** A member's identification in its group: its id, and the number of the round of assignment. */
export type Membership = { memberId: string; generationId: number };

/** The membership for a commit without a member. The broker accepts such a commit while the group has no members. */
const NO_MEMBER: Membership = { memberId: '', generationId: -1 };
/** Kafka's value for "the group has no position in this partition". */
const NO_POSITION = -1;

/** Sends the requests of a group to its coordinator. The coordinator is a broker and may change. */
export class Coordinator {
  readonly group: string;
  readonly #connection: Connection;
  readonly #withinMs: number;
  #nodeId: number | undefined;

  constructor(connection: Connection, group: string, withinMs: number) {
    this.#connection = connection;
    this.group = group;
    this.#withinMs = withinMs;
  }

  /**
   * Runs one round of joining. The round lasts until every member has joined or has timed out.
   * @param onMemberId called with the id as soon as the broker sends it, so that the member can leave before the
   * round ends
   */
  join(
    request: {
      memberId: string;
      sessionTimeoutMs: number;
      rebalanceTimeoutMs: number;
      protocol: { name: string; metadata: Buffer };
    },
    onMemberId: (memberId: string) => void,
  ): Promise<JoinedGroup> {
    const { memberId, sessionTimeoutMs, rebalanceTimeoutMs, protocol } = request;
    const join = (broker: Broker, as: string) =>
      joinGroup(broker, {
        groupId: this.group,
        memberId: as,
        sessionTimeout: sessionTimeoutMs,
        rebalanceTimeout: rebalanceTimeoutMs,
        groupProtocols: [protocol],
      });
    return this.#ask(async (broker) => {
      try {
        return await join(broker, memberId);
      } catch (error) {
        if (answerOf(error) !== 'MEMBER_ID_REQUIRED') throw error;
        const { memberId: given } = error as { memberId: string };
        onMemberId(given);
        return join(broker, given);
      }
    }, this.#withinMs + rebalanceTimeoutMs);
  }

  /** Ends a round: the leader sends the assignment of all members, and each member gets its own assignment. */
  async sync(
    member: Membership,
    assignment: { memberId: string; memberAssignment: Buffer }[],
  ): Promise<Buffer> {
    const { memberId, generationId } = member;
    const { memberAssignment } = await this.#ask((broker) =>
      broker.syncGroup({ groupId: this.group, memberId, generationId, groupAssignment: assignment }),
    );
    return memberAssignment;
  }

  /** @returns 'rebalancing' if a new round has begun */
  async heartbeat({ memberId, generationId }: Membership): Promise<'stable' | 'rebalancing'> {
    try {
      await this.#ask((broker) =>
        broker.heartbeat({ groupId: this.group, memberId, groupGenerationId: generationId }),
      );
      return 'stable';
    } catch (error) {
      if (isRebalancing(error)) return 'rebalancing';
      throw error;
    }
  }

  /** Moves the group's positions. Fails with BUS_FENCED if the group has removed this member. */
  async commit(
    { memberId, generationId }: Membership,
    positions: readonly (TopicPartition & { offset: number })[],
  ): Promise<void> {
    const topics = byTopic(positions, ({ partition, offset }) => ({ partition, offset: `${offset}` }));
    try {
      await this.#ask((broker) =>
        broker.offsetCommit({ groupId: this.group, memberId, groupGenerationId: generationId, topics }),
      );
    } catch (error) {
      const [first = { topic: '', partition: 0 }] = positions;
      if (!isMembershipLost(error) && !isRebalancing(error)) throw asBusError(error);
      throw fenced(this.group, first.topic, first.partition);
    }
  }

  /**
   * Sets where the group starts. A member may call it, or a program without a member while the group has no members.
   * If other members have joined in the meantime, they set the start, and this call changes nothing.
   */
  async setStart(
    starts: readonly (TopicPartition & { offset: number })[],
    as: Membership = NO_MEMBER,
  ): Promise<void> {
    if (starts.length === 0) return;
    await this.commit(as, starts).catch((error) => {
      if (!isMandateError(error, 'BUS_FENCED')) throw error;
    });
  }

  /**
   * Returns the committed position of each partition, by `topic/partition`. Partitions without a position are left
   * out.
   */
  async positions(partitions: readonly TopicPartition[]): Promise<Map<string, number>> {
    const rows = partitions.length === 0 ? [] : await this.#positions(partitions);
    return new Map(rows.map(({ topic, partition, offset }) => [`${topic}/${partition}`, offset]));
  }

  /** Returns the committed positions of the group in all partitions. */
  allPositions(): Promise<(TopicPartition & { offset: number })[]> {
    return this.#positions([]);
  }

  /** If `partitions` is empty, the request asks for all partitions. */
  async #positions(partitions: readonly TopicPartition[]): Promise<(TopicPartition & { offset: number })[]> {
    const topics = byTopic(partitions, ({ partition }) => ({ partition }));
    const { responses } = await this.#ask((broker) =>
      broker.offsetFetch({ groupId: this.group, topics }),
    ).catch((error) => {
      throw asBusError(error);
    });
    return responses
      .flatMap(({ topic, partitions }) =>
        partitions.map(({ partition, offset }) => ({ topic, partition, offset: Number(offset) })),
      )
      .filter(({ offset }) => offset !== NO_POSITION);
  }

  async leave(memberId: string): Promise<void> {
    await this.#ask((broker) => broker.leaveGroup({ groupId: this.group, memberId })).catch((error) => {
      // This error means that the member has already left. Every other error is thrown.
      if (!isMembershipLost(error)) throw asBusError(error);
    });
  }

  #ask<T>(work: (broker: Broker) => Promise<T>, withinMs = this.#withinMs): Promise<T> {
    return this.#connection.run(async (cluster) => {
      try {
        return await work(await this.#broker(cluster));
      } catch (error) {
        // Any failure may mean that this broker is not the coordinator any more. So the node id is forgotten, because
        // a new look-up is cheap.
        this.#nodeId = undefined;
        throw error;
      }
    }, withinMs);
  }

  async #broker(cluster: Cluster): Promise<Broker> {
    if (this.#nodeId === undefined) {
      if (cluster.getNodeIds().length === 0) await cluster.refreshMetadata();
      const { coordinator } = await cluster.findGroupCoordinatorMetadata({
        groupId: this.group,
        coordinatorType: 0,
      });
      this.#nodeId = coordinator.nodeId;
    }
    return cluster.findBroker({ nodeId: this.#nodeId });
  }
}

function byTopic<P extends TopicPartition, T>(
  partitions: readonly P[],
  make: (partition: P) => T,
): { topic: string; partitions: T[] }[] {
  return [...Map.groupBy(partitions, ({ topic }) => topic)].map(([topic, ofTopic]) => ({
    topic,
    partitions: ofTopic.map(make),
  }));
}
