/** Consumer groups: their members, and the partitions that each member should have. */
import { type Place, placeNamed } from './log-places.ts';

/** `told` makes the member look at its group again. */
export type Member = { owner: unknown; topics: readonly string[]; told(): void };
/** A partition that a member holds, from its claim to its end. Each claim has its own object. */
export type Holding = Place & { member: Member };

export type Group = { members: Member[]; holdings: Map<string, Holding>; positions: Map<string, number> };

/**
 * Returns the member that each partition should have. Owners keep their partitions, and as few as possible move to
 * even out the shares.
 */
export function targetsOf({ members, holdings, positions }: Group): Map<string, Member> {
  const target = new Map<string, Member>();
  const load = (member: Member) => [...target.values()].filter((other) => other === member).length;
  const lightest = (place: string) =>
    members
      .filter(({ topics }) => topics.includes(placeNamed(place).topic))
      .reduce<Member | null>((best, each) => (best === null || load(each) < load(best) ? each : best), null);
  const places = [...positions.keys()];
  for (const place of places) {
    const owner = holdings.get(place)?.member;
    if (owner?.topics.includes(placeNamed(place).topic)) target.set(place, owner);
  }
  for (const place of places) {
    const taker = target.has(place) ? null : lightest(place);
    if (taker !== null) target.set(place, taker);
  }
  for (let moved = true; moved; ) {
    moved = false;
    for (const place of places) {
      const owner = target.get(place);
      const taker = lightest(place);
      if (owner === undefined || taker === null || load(owner) - load(taker) < 2) continue;
      target.set(place, taker);
      moved = true;
    }
  }
  return target;
}
