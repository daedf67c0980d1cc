/**
 * Groups limits by counter. If several policies limit one counter, only the strictest limit is checked. The record
 * lists the other limits too.
 */
import type { Policy } from '../mandate/mandate.ts';

export type Counter<T> = {
  /** The strictest limit. If several limits are equally strict, the first of them. */
  strictest: T;
  /** The other limits, in the order of the policies. */
  others: readonly T[];
};

/** Returns one group for each counter, in the order in which the counters first occur. */
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

/**
 * Returns the name of the policy and the ancestor to record with a limit. The policy of a mandate from a file or from
 * code has no name.
 */
export function nameIn({ name, ancestor }: Pick<Policy, 'name' | 'ancestor'>): {
  policy?: string;
  ancestor?: string;
} {
  return { ...(name !== null && { policy: name }), ...(ancestor !== null && { ancestor }) };
}

/**
 * Adds to a limit whether the call stays within it. For limits that are not the strictest on their counter, because
 * the ledger reports facts for the strictest limit only.
 */
export function withResult<T extends object>(other: T, passes: boolean): T & { result: 'pass' | 'block' } {
  return { ...other, result: passes ? 'pass' : 'block' };
}
