/**
 * Checks the law of terms. A settlement keeps the terms of its decision: the least cost of a success, the cap on an
 * actual cost, and the limit on what own reports give back. The check computes these terms from the log, in another
 * way than the ledger.
 */
import {
  type BudgetAdjusted,
  outcomeResult,
  percentOf,
  RELEASED_BUDGET,
  type Settlement,
} from '@mandate/schemas';
import { usageMicrosOf } from '@mandate/step';
import type { StoredDecision } from './stored-decisions.ts';
import { createUnitTerms } from './unit-terms.ts';

type Known = Pick<StoredDecision, 'settling' | 'reservedMicros' | 'units'>;

export function createTerms() {
  /** The amount that each agent's own reports gave back, by agent. */
  const released = new Map<string, number>();
  const units = createUnitTerms();
  const add = (agent: string, micros: number) =>
    void released.set(agent, (released.get(agent) ?? 0) + micros);

  return {
    /**
     * Returns the term that a settlement breaks. Null if it breaks no term. Call it only for a settlement that moved
     * money.
     */
    faultOf(settlement: Settlement, known: Known): string | null {
      const before = Math.max(0, released.get(agentOf(settlement)) ?? 0);
      return (
        costFault(settlement, known) ??
        releaseFault(settlement, known, before) ??
        units.faultOf(settlement, known.units)
      );
    },
    settled(settlement: Settlement): void {
      if (settlement.releasedMicros !== 0) add(agentOf(settlement), settlement.releasedMicros);
      units.settled(settlement);
    },
    adjusted(adjustment: BudgetAdjusted['adjustment']): void {
      const { tenant, budget, deltaMicros } = adjustment;
      units.adjusted(adjustment);
      if (deltaMicros === undefined) return;
      if (budget.scope !== 'agent' || budget.id !== RELEASED_BUDGET || budget.windowMs !== null) return;
      add(agentOf({ tenant, agentId: budget.subject }), deltaMicros);
    },
  };
}

function costFault(settlement: Settlement, { settling, reservedMicros }: Known): string | null {
  const { chargedMicros, excessMicros, reportedBy } = settlement;
  const isMetered = reportedBy.mayRelease || settlement.usageMicros !== undefined;
  const leastMicros = isMetered ? settling.leastMicros : settling.ownLeastMicros;
  if (outcomeResult(settlement) === 'succeeded' && chargedMicros < leastMicros) {
    return `a success costs at least ${leastMicros} micro-dollars, and ${chargedMicros} are charged`;
  }
  const mostMicros = Math.max(settling.mostMicros, reservedMicros, leastMicros);
  if (chargedMicros > mostMicros) {
    return `at most ${mostMicros} micro-dollars may be charged, and ${chargedMicros} are`;
  }
  const usageMicros = usageMicrosOf(settling.tokenPrices, settlement.usage);
  if ((settlement.usageMicros ?? null) !== usageMicros) {
    return `the reported tokens cost ${usageMicros} micro-dollars, and it says ${settlement.usageMicros}`;
  }
  const actualMicros = Math.max(settlement.actualCostMicros ?? 0, usageMicros ?? 0);
  const aboveMicros = Math.max(0, actualMicros - settling.mostMicros);
  if (excessMicros > aboveMicros) {
    return `the actual cost is ${aboveMicros} micro-dollars above its cap, and the excess is ${excessMicros}`;
  }
  return null;
}

/** @param before the amount that the agent's own reports had given back before */
function releaseFault(settlement: Settlement, known: Known, before: number): string | null {
  const { releasedMicros, chargedMicros, reportedBy, marks } = settlement;
  const { settling, reservedMicros } = known;
  const { releases } = settling;
  const isOwn = !reportedBy.mayRelease && releases !== null;
  if (outcomeResult(settlement) === 'succeeded') {
    const roomMicros = Math.min(before, percentOf(chargedMicros, releases?.percent ?? 0));
    if (releasedMicros === 0 - roomMicros) return null;
    return `a success makes room for ${roomMicros} micro-dollars, and it says ${releasedMicros}`;
  }
  const backMicros = isOwn ? Math.max(0, reservedMicros - chargedMicros) : 0;
  if (releasedMicros !== backMicros) {
    return `own reports gave back ${backMicros} micro-dollars of it, and it says ${releasedMicros}`;
  }
  if (isOwn && before + backMicros > Math.max(before, releases.micros)) {
    return `own reports had given back ${before} micro-dollars, which leaves no room for ${backMicros}`;
  }
  const inUnit = Object.values(settlement.units ?? {}).some((settled) => settled?.releaseRefused);
  const isRefused = marks.includes('RELEASE_REFUSED') && !inUnit;
  if (isRefused && (!isOwn || chargedMicros !== reservedMicros)) {
    return `it refuses to give back, and charges ${chargedMicros} of ${reservedMicros} micro-dollars`;
  }
  return null;
}

function agentOf({ tenant, agentId }: { tenant: string; agentId: string }): string {
  return `${tenant} ${agentId}`;
}
