/** Time and sequences go on from the highest that the log has seen; a record that was seen is passed over. */

import type { Delivery, TenantState } from '../memory/remembered.ts';
import { type LedgerState, openTenant } from '../memory/state.ts';

export function seeSequence(state: LedgerState, tenant: string, sequence: number): TenantState {
  const known = openTenant(state, tenant);
  known.sequence = Math.max(known.sequence, sequence);
  return known;
}

/** A wire time of the ledger's clock, in milliseconds. */
export function seeTime(state: LedgerState, time: string): number {
  const atMs = Date.parse(time);
  state.clockMs = Math.max(state.clockMs, atMs);
  return atMs;
}

/**
 * Does a record of that time tell of the step that answered the known delivery? Then it was written twice: another step
 * for one coordinate there is only once the first is forgotten.
 */
export function isSameStep(known: Delivery, atMs: number): boolean {
  return known.forgetAtMs > atMs;
}
