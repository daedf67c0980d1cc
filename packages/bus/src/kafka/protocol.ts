import kafkajs from 'kafkajs';
import { assign, type Share } from '../assignment.ts';
import type { GroupMemberMetadata } from './client.ts';
import type { TopicPartition } from './coordinator.ts';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

/** The name of the assignment method. All members of a group must use the same name. */
const PROTOCOL = 'mandate-sticky';
const VERSION = 0;

/**
 * Returns the metadata of a joining member: its topics and its previous partitions. The leader can then assign the
 * same partitions again.
 */
export function joinMetadata(
  topics: readonly string[],
  held: readonly TopicPartition[],
): { name: string; metadata: Buffer } {
  return {
    name: PROTOCOL,
    metadata: MemberMetadata.encode({
      version: VERSION,
      topics: [...topics],
      userData: Buffer.from(JSON.stringify(held)),
    }),
  };
}

/** A member as decoded from its join metadata. */
export type Candidate = { memberId: string; topics: readonly string[]; held: readonly TopicPartition[] };

export function candidatesOf(members: readonly GroupMemberMetadata[]): Candidate[] {
  return members.map(({ memberId, memberMetadata }) => {
    const metadata = MemberMetadata.decode(memberMetadata);
    const held: TopicPartition[] = JSON.parse(metadata?.userData.toString() || '[]');
    return { memberId, topics: metadata?.topics ?? [], held };
  });
}

/** Assigns each partition to one member that reads its topic. Moves as few partitions as possible. */
export function encodeAssignments(
  known: readonly Candidate[],
  partitions: readonly TopicPartition[],
): { memberId: string; memberAssignment: Buffer }[] {
  const ownerOf = ({ topic, partition }: TopicPartition) =>
    known.find(({ held }) => held.some((each) => each.topic === topic && each.partition === partition))
      ?.memberId;
  const shares = partitions.map(
    (partition, id): Share => ({ partition: id, topic: partition.topic, owner: ownerOf(partition) ?? null }),
  );
  const target = assign(
    shares,
    known.map(({ memberId, topics }) => ({ member: memberId, topics })),
  );
  return known.map(({ memberId }) => {
    const assignment: Record<string, number[]> = {};
    for (const [id, { topic, partition }] of partitions.entries()) {
      if (target.get(id) !== memberId) continue;
      assignment[topic] = [...(assignment[topic] ?? []), partition];
    }
    return {
      memberId,
      memberAssignment: MemberAssignment.encode({ version: VERSION, assignment, userData: Buffer.alloc(0) }),
    };
  });
}

/** Decodes the partitions that an assignment gives to one member. */
export function decodeAssignment(memberAssignment: Buffer): TopicPartition[] {
  const { assignment = {} } = MemberAssignment.decode(memberAssignment) ?? {};
  return Object.entries(assignment).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition })),
  );
}
