/**
 * The ledger epoch that holds at a log position of a decisions partition: a function of the records before it, and the
 * same for every reader. The order on the log alone is not enough. A process that rebuilds a ledger may be delayed until
 * another process has rebuilt it, and its record then comes after the record of the other.
 */
import { DEFAULTS } from './defaults.ts';
import type { LedgerEpoch } from './operations.ts';

/** `generation`: the highest that was named up to there; 0 while none was. */
export type EpochInForce = { readonly id: string; readonly generation: number };

/**
 * What holds behind a record, where `inForce` held before it; null where no epoch was named yet. `inForce` itself where
 * the record begins nothing.
 *
 * A generation that is not higher than those before it begins nothing: its rebuilder was overtaken. A record without one
 * is of a program from before there were generations. It begins its epoch by its place on the log, as it always did: the
 * ledger that it names is the one that all decide in, newer programs too, and the generations before it stay taken.
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
 * For how long ids are remembered behind a record, where `known` held before it; null before the first of a log. It never
 * gets shorter: what was settled long after it was decided must find its decision in every fold to come.
 */
export function replayMemoryAfter(
  known: number | null,
  { replayMemoryMs }: Pick<LedgerEpoch['epoch'], 'replayMemoryMs'>,
): number {
  if (known === null) return replayMemoryMs ?? DEFAULTS.replayMemoryMs;
  return Math.max(known, replayMemoryMs ?? 0);
}

/** Whether a decision or settlement counts that was made in the epoch `madeIn`; where none was named, any does. */
export function holdsIn(inForce: EpochInForce | null, madeIn: string): boolean {
  return inForce === null || inForce.id === madeIn;
}
