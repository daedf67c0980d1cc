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
 * True if the fold already has a step for the log position of the record. Usually the record is a second copy of
 * that step, so it is ignored. But a delivery above the tenant's limit of remembered ids (`unremembered`) is forgotten
 * soon, so the log may contain a second decision of the same position. Then the step with the higher sequence counts:
 * the earlier step is removed here, and the result is false.
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
