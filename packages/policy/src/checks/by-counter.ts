/** If several policies limit one counter, only the strictest limit is judged. The record lists the others beside it. */
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

/** Another limit on the same counter, for the record: whether the call fits it, by what the ledger found for the strictest. */
export function withResult<T extends object>(other: T, passes: boolean): T & { result: 'pass' | 'block' } {
  return { ...other, result: passes ? 'pass' : 'block' };
}
