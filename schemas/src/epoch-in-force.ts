/**
 * Finds the ledger epoch that is valid at a log position of a decisions partition. The epoch follows from the records
 * before the position, so it is the same for every reader. The order on the log alone is not enough: a process that
 * rebuilds a ledger may be delayed until another process has rebuilt it, and then writes its record later. So each
 * rebuild also has a number, its generation.
 */
import { DEFAULTS } from './defaults.ts';
import type { LedgerEpoch } from './operations.ts';

/** `generation`: the highest generation named before the position. 0 if no generation was named. */
export type EpochInForce = { readonly id: string; readonly generation: number };

/**
 * Returns the epoch that is valid after a record, if `inForce` was valid before it. Null if no epoch was named yet.
 * Returns `inForce` itself if the record begins no epoch.
 *
 * A record begins no epoch if its generation is not higher than all earlier generations: another process has already
 * rebuilt the ledger. A record without a generation comes from an old program that knows no generations. It begins
 * its epoch by its log position, because all programs then decide in the ledger that it names. The earlier
 * generations stay used.
 */
export function epochAfter(
  inForce: EpochInForce | null,
  { id, generation }: Pick<LedgerEpoch['epoch'], 'id' | 'generation'>,
): EpochInForce {
  const highest = inForce?.generation ?? 0;
  if (generation === undefined) return { id, generation: highest };
  return inForce !== null && generation <= highest ? inForce : { id, generation };
}

/**
 * Returns how long ids are remembered after a record, if they were remembered for `known` before it. `known` is null
 * before the first record of a log. The time never becomes shorter, because a late outcome must find its decision
 * whenever the ledger is rebuilt.
 */
export function replayMemoryAfter(
  known: number | null,
  { replayMemoryMs }: Pick<LedgerEpoch['epoch'], 'replayMemoryMs'>,
): number {
  if (known === null) return replayMemoryMs ?? DEFAULTS.replayMemoryMs;
  return Math.max(known, replayMemoryMs ?? 0);
}

/**
 * True if a decision or settlement counts that was made in the epoch `madeIn`. If no epoch was named, all decisions
 * and settlements count.
 */
export function holdsIn(inForce: EpochInForce | null, madeIn: string): boolean {
  return inForce === null || inForce.id === madeIn;
}
