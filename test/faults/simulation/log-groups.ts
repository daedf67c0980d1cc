/** Consumer groups: their members, and the partitions that each member should own. */
import { parseTopicPartition, type TopicPartition } from './topic-partitions.ts';

/** A member of a group. `told` is called when the member must check its group again. */
export type Member = { owner: unknown; topics: readonly string[]; told(): void };
/**
 * A partition that a member owns. Each time a member claims a partition, a new object is made, which is used until
 * the member gives the partition up.
 */
export type Holding = TopicPartition & { member: Member };

export type Group = { members: Member[]; holdings: Map<string, Holding>; positions: Map<string, number> };

/**
 * Returns for each partition the member that should own it. Owners keep their partitions as far as possible, and only
 * as many move as are needed to give all members a similar number.
 */
export function targetsOf({ members, holdings, positions }: Group): Map<string, Member> {
  const target = new Map<string, Member>();
  const load = (member: Member) => [...target.values()].filter((other) => other === member).length;
  const lightest = (name: string) =>
    members
      .filter(({ topics }) => topics.includes(parseTopicPartition(name).topic))
      .reduce<Member | null>((best, each) => (best === null || load(each) < load(best) ? each : best), null);
  const names = [...positions.keys()];
  for (const name of names) {
    const owner = holdings.get(name)?.member;
    if (owner?.topics.includes(parseTopicPartition(name).topic)) target.set(name, owner);
  }
  for (const name of names) {
    const taker = target.has(name) ? null : lightest(name);
    if (taker !== null) target.set(name, taker);
  }
  for (let moved = true; moved; ) {
    moved = false;
    for (const name of names) {
      const owner = target.get(name);
      const taker = lightest(name);
      if (owner === undefined || taker === null || load(owner) - load(taker) < 2) continue;
      target.set(name, taker);
      moved = true;
    }
  }
  return target;
}
