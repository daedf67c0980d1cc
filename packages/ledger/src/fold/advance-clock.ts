/** Moves the clock and the sequences of a fold forward to the highest that a record names. */
import { forgetAtOnce } from '../memory/forget.ts';
import type { ProcessedDelivery, TenantState } from '../memory/remembered.ts';
import { type LedgerState, openTenant } from '../memory/state.ts';

export function advanceSequence(state: LedgerState, tenant: string, sequence: number): TenantState {
  const known = openTenant(state, tenant);
  known.sequence = Math.max(known.sequence, sequence);
  return known;
}

/** Moves the clock to a wire time if that is later. Returns the wire time in milliseconds. */
export function advanceClock(state: LedgerState, time: string): number {
  const atMs = Date.parse(time);
  state.clockMs = Math.max(state.clockMs, atMs);
  return atMs;
}

/**
 * True if the fold already knows the log position of a record. Then one step was written twice. A second step
 * for the same position happens only after the first is forgotten. A delivery for which there was no room may be forgotten
 * soon. So if there are two such steps, the later one counts.
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
