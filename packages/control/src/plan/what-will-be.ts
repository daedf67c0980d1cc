import type { Change } from './change.ts';
import type { CurrentDocument, Kind } from './current-documents.ts';

/** The document with an id in the plane, and its planned change. Each is undefined if there is none. */
export type WhatWillBe = { before: CurrentDocument | undefined; change: Change | undefined };

export function whatWillBeOf(
  kind: Kind,
  current: readonly CurrentDocument[],
  changes: readonly Change[] = [],
): (id: string) => WhatWillBe {
  const of = <T extends { kind: Kind; id: string }>(all: readonly T[]) =>
    new Map(all.flatMap((one) => (one.kind === kind ? [[one.id, one] as const] : [])));
  const [before, planned] = [of(current), of(changes)];
  return (id) => ({ before: before.get(id), change: planned.get(id) });
}
