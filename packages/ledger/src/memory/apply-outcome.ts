/** Applies an outcome to its ALLOW. The amounts come from a step or from the log. */

import {
  addToCounter,
  isOwnBudget,
  openCallsOf,
  releasedOf,
  releasedTokensOf,
  releaseSlot,
} from '@mandate/step';
import { openCounter, openRate } from './counters.ts';
import type { Moved, MovedTokens, StoredDecision, TokenLease } from './remembered.ts';

/** Returns false if the outcome cannot settle the decision. */
export function applyOutcome(entry: StoredDecision, moved: Moved, nowMs: number): boolean {
  const { lease, agent, atMs } = entry;
  if (lease === null || lease.result !== null) return false;
  for (const charge of lease.charges) {
    const excessMicros = isOwnBudget(charge.counter, agent.id) ? moved.excessMicros : 0;
    addToCounter(charge.counter, atMs, moved.deltaMicros + excessMicros, nowMs);
  }
  if (moved.releasedMicros !== 0) {
    const released = openCounter(agent.tenant.counters, releasedOf(agent.id));
    addToCounter(released, nowMs, moved.releasedMicros, nowMs);
  }
  if (lease.tokens !== undefined && moved.tokens !== undefined)
    moveTokens(entry, lease.tokens, moved.tokens, nowMs);
  if (lease.settling.open) {
    releaseSlot(openRate(agent.tenant.counters, openCallsOf(agent.id)), atMs, nowMs);
  }
  lease.chargedMicros += moved.deltaMicros;
  lease.result = moved.result;
  agent.tenant.running.delete(entry);
  return true;
}

function moveTokens(
  { agent, atMs }: StoredDecision,
  { charges }: TokenLease,
  { deltaTokens, excessTokens, releasedTokens }: MovedTokens,
  nowMs: number,
): void {
  for (const { counter } of charges) {
    const excess = isOwnBudget(counter, agent.id) ? excessTokens : 0;
    addToCounter(counter, atMs, deltaTokens + excess, nowMs);
  }
  if (releasedTokens === 0) return;
  addToCounter(openCounter(agent.tenant.counters, releasedTokensOf(agent.id)), nowMs, releasedTokens, nowMs);
}
