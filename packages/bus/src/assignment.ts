/**
 * Decides which member gets which partition. The function is pure: members that read the same rows compute the same
 * result, so no leader is needed. It is sticky: a member keeps its partitions, and only the partitions that balance
 * needs are moved.
 */
export type Share = { partition: number; topic: string; owner: string | null };
export type Subscriber = { member: string; topics: readonly string[] };

/** Returns the new owner of each partition, by partition id. A partition without a subscriber is left out. */
export function assign(shares: readonly Share[], subscribers: readonly Subscriber[]): Map<number, string> {
  const members = [...subscribers].sort((a, b) => (a.member < b.member ? -1 : 1));
  const held = new Map(members.map(({ member }) => [member, 0]));
  const target = new Map<number, string>();
  const give = (partition: number, member: string) => {
    const before = target.get(partition);
    if (before !== undefined) held.set(before, load(before) - 1);
    target.set(partition, member);
    held.set(member, load(member) + 1);
  };
  const load = (member: string) => held.get(member) ?? 0;
  const lightest = (topic: string) =>
    members
      .filter(({ topics }) => topics.includes(topic))
      .reduce<string | null>(
        (best, { member }) => (best === null || load(member) < load(best) ? member : best),
        null,
      );

  for (const { partition, topic, owner } of shares) {
    const stays = members.some(({ member, topics }) => member === owner && topics.includes(topic));
    if (stays && owner !== null) give(partition, owner);
  }
  for (const { partition, topic } of shares) {
    const taker = target.has(partition) ? null : lightest(topic);
    if (taker !== null) give(partition, taker);
  }
  // This loop ends, because each move lowers the sum of the squared loads.
  for (let moved = true; moved; ) {
    moved = false;
    for (const { partition, topic } of shares) {
      const owner = target.get(partition);
      const taker = lightest(topic);
      if (owner === undefined || taker === null || load(owner) - load(taker) < 2) continue;
      give(partition, taker);
      moved = true;
    }
  }
  return target;
}
