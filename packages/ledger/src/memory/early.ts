/**
 * Outcomes that lie on the log before their decision. Requests and outcomes of one agent come to that where they lie in
 * several partitions: two deciders write their answers. Mostly the decision is on its way; but where its ledger was lost
 * before the log had it, the request is decided anew, by a ledger that was folded from such a log. Whoever has the
 * decision, a fold or a step, settles it at once: so both hold what the log says (ADR 18).
 */
import type { Settlement } from '@mandate/schemas';
import { applyOutcome } from './apply-outcome.ts';
import type { EarlySettlement, Entry, Moved } from './remembered.ts';
import type { LedgerState } from './state.ts';

/** Neither a tenant's name nor an id holds a blank. */
export function earlyKey(of: Pick<Settlement, 'tenant' | 'agentId' | 'actionId' | 'attempt'>): string {
  return `${of.tenant} ${of.agentId} ${of.actionId} ${of.attempt}`;
}

export function keepEarly({ early }: LedgerState, key: string, settlement: EarlySettlement): void {
  early.delete(key);
  early.set(key, settlement);
}

/** Settles a decision that stands by the outcome that waits for it, once. Returns what it moved; null if none waits. */
export function settleEarly(state: LedgerState, entry: Entry): Moved | null {
  const { early } = state;
  if (early.size === 0) return null;
  const { agent, actionId, attempt } = entry;
  const key = earlyKey({ tenant: agent.tenant.name, agentId: agent.id, actionId, attempt });
  const settlement = early.get(key);
  if (settlement === undefined || settlement.forgetAtMs <= entry.atMs) return null;
  early.delete(key);
  return applyOutcome(entry, settlement, state.clockMs) ? settlement : null;
}

export function forgetEarly({ early }: LedgerState, beforeMs: number): void {
  for (const [key, { forgetAtMs }] of early) {
    if (forgetAtMs > beforeMs) break;
    early.delete(key);
  }
}
