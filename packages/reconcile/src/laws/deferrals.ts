/**
 * Follows the deferred actions of a log. Each of them has reserved calls in rates. The ALLOW on its grant takes these
 * calls over.
 */
import { standsForAction } from '@mandate/schemas';
import { releaseSlot, type SlidingRate, takeSlot } from '@mandate/step';
import type { Decided } from './step.ts';

type Deferral = { readonly atMs: number; readonly rates: ReadonlySet<SlidingRate> };

export function createDeferrals() {
  const deferrals = new Map<string, Deferral>();

  return {
    /**
     * Releases the calls in rates that the question of this decision had reserved, and returns these rates. The
     * released calls do not count in the check of the decision.
     */
    releaseSlots(decision: Decided, rates: ReadonlySet<SlidingRate>): SlidingRate[] {
      const deferral = decision.isAnswered ? deferrals.get(nameOf(decision)) : undefined;
      if (deferral === undefined) return [];
      return [...rates].filter(
        (rate) => deferral.rates.has(rate) && releaseSlot(rate, deferral.atMs, decision.atMs),
      );
    },
    /**
     * Records a decision after its check. `left` contains the rates in which the question of the decision had
     * reserved calls.
     */
    decided(decision: Decided, rates: ReadonlySet<SlidingRate>, left: readonly SlidingRate[]): void {
      const name = nameOf(decision);
      const { atMs, verdict, kind, takesSlots } = decision;
      if (verdict === 'DEFER' && standsForAction(kind)) deferrals.set(name, { atMs, rates });
      const deferral = deferrals.get(name);
      if (deferral === undefined) return;
      if (!takesSlots) for (const rate of left) takeSlot(rate, deferral.atMs, atMs);
      if (decision.grantConsumed) deferrals.delete(name);
    },
  };
}

/** Ids contain no spaces, so each name is unique. */
function nameOf({ tenant, agentId, actionId, digest }: Decided): string {
  return `${tenant} ${agentId} ${actionId} ${digest}`;
}
