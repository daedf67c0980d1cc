/** `action.settled`: moves what its decision reserved, in the counters that the decision charged. */
import type { Settlement } from '@mandate/schemas';
import { type Result, resultOf } from '../charge.ts';
import { openAgent, standsFor } from '../memory/agents.ts';
import { openPlace } from '../memory/coordinates.ts';
import { addToCounter } from '../memory/counters.ts';
import { remember } from '../memory/forget.ts';
import type { Entry } from '../memory/remembered.ts';
import type { LedgerState } from '../memory/state.ts';
import { isSameStep, seeSequence, seeTime } from './what-was-seen.ts';

/**
 * An outcome that lies before its decision: two deciders wrote them, as the requests had no key. Without the decision
 * on the log nothing was charged, and nothing is settled.
 */
export type EarlySettlement = { readonly deltaMicros: number; readonly result: Result };

export function foldSettlement(
  state: LedgerState,
  settlement: Settlement,
  early: Map<string, EarlySettlement>,
): void {
  const tenant = seeSequence(state, settlement.tenant, settlement.ledgerSequence);
  const atMs = seeTime(state, settlement.settledAt);
  const { log, offset } = openPlace(state.coordinates, settlement.source);
  const known = log.deliveries.get(offset);
  if (known !== undefined && isSameStep(known, atMs)) return;

  const agent = openAgent(tenant, settlement.agentId);
  const forgetAtMs = atMs + state.replayMemoryMs;
  remember(state, { kind: 'settled', agent, log, offset, forgetAtMs, unpublished: null });
  if (settlement.kind !== 'settled') return;

  const moved = { deltaMicros: settlement.deltaMicros, result: resultOf(settlement) };
  const entry = standsFor(agent, settlement);
  if (entry === undefined) early.set(settlementKey(settlement), moved);
  else applySettlement(state, entry, moved);
}

export function applySettlement(state: LedgerState, entry: Entry, settlement: EarlySettlement): void {
  const { lease, agent, atMs } = entry;
  if (lease === null || lease.result !== null) return;
  for (const { counter } of lease.charges) {
    addToCounter(counter, atMs, settlement.deltaMicros, state.clockMs);
  }
  lease.chargedMicros += settlement.deltaMicros;
  lease.result = settlement.result;
  agent.tenant.running.delete(entry);
}

/** Neither a tenant's name nor an id holds a blank. */
export function settlementKey(of: Pick<Settlement, 'tenant' | 'agentId' | 'actionId' | 'attempt'>): string {
  return `${of.tenant} ${of.agentId} ${of.actionId} ${of.attempt}`;
}
