import type { Change } from './change.ts';
import type { Kind, Standing } from './standing.ts';

/** The document with an id in the plane, and its planned change. Each is undefined if there is none. */
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
