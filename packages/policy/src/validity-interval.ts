/** A time span: from `holdsFromMs` until before `holdsUntilMs`, in epoch milliseconds. Null means without end. */
export type ValidityInterval = { holdsFromMs: number; holdsUntilMs: number | null };

/** Returns the time span that all of these time spans have in common. */
export function intersectionOf(all: readonly ValidityInterval[]): ValidityInterval {
  const edges = all.flatMap(({ holdsUntilMs }) => holdsUntilMs ?? []);
  return {
    holdsFromMs: Math.max(...all.map(({ holdsFromMs }) => holdsFromMs)),
    holdsUntilMs: edges.length === 0 ? null : Math.min(...edges),
  };
}

export function holdsAt({ holdsFromMs, holdsUntilMs }: ValidityInterval, atMs: number): boolean {
  return holdsFromMs <= atMs && atMs < (holdsUntilMs ?? Number.POSITIVE_INFINITY);
}
