import kafkajs from 'kafkajs';
import { assign, type Share } from '../assignment.ts';
import type { GroupMemberMetadata } from './client.ts';
import type { Place } from './coordinator.ts';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;

/** Members of one group must agree on this name: it stands for the way in which partitions are handed out. */
const PROTOCOL = 'mandate-sticky';
const VERSION = 0;

/** How a member introduces itself: what it reads, and what it held, so that it may keep that. */
export function introduction(
  topics: readonly string[],
  held: readonly Place[],
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

/** A member, as its introduction tells it. */
export type Candidate = { memberId: string; topics: readonly string[]; held: readonly Place[] };

export function candidates(members: readonly GroupMemberMetadata[]): Candidate[] {
  return members.map(({ memberId, memberMetadata }) => {
    const metadata = MemberMetadata.decode(memberMetadata);
    const held: Place[] = JSON.parse(metadata?.userData.toString() || '[]');
    return { memberId, topics: metadata?.topics ?? [], held };
  });
}

/** What the leader of a round answers: every partition to one member that reads its topic, moving as few as will do. */
export function handOut(
  known: readonly Candidate[],
  places: readonly Place[],
): { memberId: string; memberAssignment: Buffer }[] {
  const ownerOf = ({ topic, partition }: Place) =>
    known.find(({ held }) => held.some((each) => each.topic === topic && each.partition === partition))
      ?.memberId;
  const shares = places.map(
    (place, id): Share => ({ partition: id, topic: place.topic, owner: ownerOf(place) ?? null }),
  );
  const target = assign(
    shares,
    known.map(({ memberId, topics }) => ({ member: memberId, topics })),
  );
  return known.map(({ memberId }) => {
    const assignment: Record<string, number[]> = {};
    for (const [id, { topic, partition }] of places.entries()) {
      if (target.get(id) !== memberId) continue;
      assignment[topic] = [...(assignment[topic] ?? []), partition];
    }
    return {
      memberId,
      memberAssignment: MemberAssignment.encode({ version: VERSION, assignment, userData: Buffer.alloc(0) }),
    };
  });
}

/** What one member was given. */
export function placesIn(memberAssignment: Buffer): Place[] {
  const { assignment = {} } = MemberAssignment.decode(memberAssignment) ?? {};
  return Object.entries(assignment).flatMap(([topic, partitions]) =>
    partitions.map((partition) => ({ topic, partition })),
  );
}
