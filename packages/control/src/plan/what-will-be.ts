import type { Change } from './change.ts';
import type { Kind, Standing } from './standing.ts';

/** What stands of an id, if anything, and what a plan does about it, if anything. */
export type WhatWillBe = { before: Standing | undefined; change: Change | undefined };

export function whatWillBeOf(
  kind: Kind,
  standing: readonly Standing[],
  changes: readonly Change[] = [],
): (id: string) => WhatWillBe {
  const of = <T extends { kind: Kind; id: string }>(all: readonly T[]) =>
    new Map(all.flatMap((one) => (one.kind === kind ? [[one.id, one] as const] : [])));
  const [before, planned] = [of(standing), of(changes)];
  return (id) => ({ before: before.get(id), change: planned.get(id) });
}
