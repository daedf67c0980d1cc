/** Advances the clock and the sequences of a fold to the highest values in a record. */
import { forgetAtOnce } from '../memory/forget.ts';
import type { ProcessedDelivery, TenantState } from '../memory/remembered.ts';
import { type LedgerState, openTenant } from '../memory/state.ts';

export function advanceSequence(state: LedgerState, tenant: string, sequence: number): TenantState {
  const known = openTenant(state, tenant);
  known.sequence = Math.max(known.sequence, sequence);
  return known;
}

/** Advances the clock to a wire time if that time is later. Returns the wire time in milliseconds. */
export function advanceClock(state: LedgerState, time: string): number {
  const atMs = Date.parse(time);
  state.clockMs = Math.max(state.clockMs, atMs);
  return atMs;
}

/**
 * True if the fold already has a step for the log position of the record. Usually the same step was written twice, so
 * the second copy is ignored. A position is decided a second time only after the first step was forgotten. Deliveries
 * above the limit are forgotten soon. So for these deliveries the later step counts.
 */
export function isAlreadyFolded(
  known: ProcessedDelivery | undefined,
  { atMs, sequence }: { atMs: number; sequence: number },
): boolean {
  if (known === undefined) return false;
  if (known.kind !== 'unremembered') return known.forgetAtMs > atMs;
  if (known.sequence >= sequence) return true;
  forgetAtOnce(known);
  return false;
}
