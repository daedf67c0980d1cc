/** Of policies that limit one counter only the strictest is asked; what the others say goes on the record beside it. */
import type { Policy } from '../mandate/mandate.ts';

export type Counter<T> = {
  /** The first, of several that allow as little. */
  strictest: T;
  /** In the order of the policies. */
  others: readonly T[];
};

/** In the order in which each counter comes first. */
export function byCounter<T>(
  all: readonly T[],
  counterOf: (one: T) => string,
  mostOf: (one: T) => number,
): Counter<T>[] {
  return [...Map.groupBy(all, counterOf).values()].map((sharing) => {
    const strictest = sharing.reduce((known, one) => (mostOf(one) < mostOf(known) ? one : known));
    return { strictest, others: sharing.filter((one) => one !== strictest) };
  });
}

/** A policy as limits name it; a mandate of a file has no name to tell. */
export function nameIn({ name, holder }: Pick<Policy, 'name' | 'holder'>): {
  policy?: string;
  holder?: string;
} {
  return { ...(name !== null && { policy: name }), ...(holder !== null && { holder }) };
}

/** What one of the others says, for the record: of what the ledger saw for the strictest. */
export function saidBy<T extends object>(other: T, passes: boolean): T & { result: 'pass' | 'block' } {
  return { ...other, result: passes ? 'pass' : 'block' };
}
