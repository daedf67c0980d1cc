/**
 * Outcomes that come before their decision on the log. This happens if two deciders process the requests and outcomes
 * of one agent in different partitions. Usually the decision follows soon. But if the ledger is lost before the
 * decision is published, the request is decided again. Then a fold and a step both settle the decision at once, so
 * both agree with the log (ADR 18).
 */
import type { Settlement } from '@mandate/schemas';
import { applyOutcome } from './apply-outcome.ts';
import type { Moved, PendingOutcome, StoredDecision } from './remembered.ts';
import type { LedgerState } from './state.ts';

/** A space separates the parts, because neither a tenant's name nor an id contains a space. */
export function pendingKey(of: Pick<Settlement, 'tenant' | 'agentId' | 'actionId' | 'attempt'>): string {
  return `${of.tenant} ${of.agentId} ${of.actionId} ${of.attempt}`;
}

export function keepPendingOutcome(
  { pendingOutcomes }: LedgerState,
  key: string,
  settlement: PendingOutcome,
): void {
  pendingOutcomes.delete(key);
  pendingOutcomes.set(key, settlement);
}

/** Settles a decision by its waiting outcome, once. Returns the changed amounts. Null if no outcome waits. */
export function applyPendingOutcome(state: LedgerState, entry: StoredDecision): Moved | null {
  const { pendingOutcomes } = state;
  if (pendingOutcomes.size === 0) return null;
  const { agent, actionId, attempt } = entry;
  const key = pendingKey({ tenant: agent.tenant.name, agentId: agent.id, actionId, attempt });
  const settlement = pendingOutcomes.get(key);
  if (settlement === undefined || settlement.forgetAtMs <= entry.atMs) return null;
  pendingOutcomes.delete(key);
  return applyOutcome(entry, settlement, state.clockMs) ? settlement : null;
}

export function forgetPendingOutcomes({ pendingOutcomes }: LedgerState, beforeMs: number): void {
  for (const [key, { forgetAtMs }] of pendingOutcomes) {
    if (forgetAtMs > beforeMs) break;
    pendingOutcomes.delete(key);
  }
}
