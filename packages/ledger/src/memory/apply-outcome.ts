/** Applies an outcome to its ALLOW. The amounts come from a step or from the log. */
import { type CounterUnit, unitsIn } from '@mandate/schemas/core';
import { addToCounter, isOwnBudget, openCallsOf, releasedOf, releaseSlot } from '@mandate/step';
import { openCounter, openRate } from './counters.ts';
import type { Moved, MovedUnit, StoredDecision, UnitLease } from './remembered.ts';

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
  for (const [unit, its] of unitsIn(lease.units)) {
    const movedUnit = moved.units?.[unit];
    if (movedUnit !== undefined) moveUnit(entry, its, { unit, ...movedUnit }, nowMs);
  }
  if (lease.settling.open) {
    releaseSlot(openRate(agent.tenant.counters, openCallsOf(agent.id)), atMs, nowMs);
  }
  lease.chargedMicros += moved.deltaMicros;
  lease.result = moved.result;
  agent.tenant.running.delete(entry);
  return true;
}

function moveUnit(
  { agent, atMs }: StoredDecision,
  { charges }: UnitLease,
  { unit, delta, excess, released }: MovedUnit & { unit: CounterUnit },
  nowMs: number,
): void {
  for (const { counter } of charges) {
    const own = isOwnBudget(counter, agent.id) ? excess : 0;
    addToCounter(counter, atMs, delta + own, nowMs);
  }
  if (released === 0) return;
  addToCounter(openCounter(agent.tenant.counters, releasedOf(agent.id, unit)), nowMs, released, nowMs);
}
