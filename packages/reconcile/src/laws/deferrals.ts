/** Deferred actions of a log: which slots of rates each holds, until the ALLOW on its grant takes them along. */
import { standsForAction } from '@mandate/schemas';
import { leaveSlot, type SlidingRate, takeSlot } from '@mandate/step';
import type { Decided } from './step.ts';

type Deferral = { readonly atMs: number; readonly rates: ReadonlySet<SlidingRate> };

export function createDeferrals() {
  const deferrals = new Map<string, Deferral>();

  return {
    /** What a person has answered holds these slots: as long as it is judged, they do not count. */
    leaveSlots(decision: Decided, rates: ReadonlySet<SlidingRate>): SlidingRate[] {
      const deferral = decision.isAnswered ? deferrals.get(nameOf(decision)) : undefined;
      if (deferral === undefined) return [];
      return [...rates].filter(
        (rate) => deferral.rates.has(rate) && leaveSlot(rate, deferral.atMs, decision.atMs),
      );
    },
    /** After it was judged. `left`: by which it held slots. */
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

/** No id holds a blank. */
function nameOf({ tenant, agentId, actionId, digest }: Decided): string {
  return `${tenant} ${agentId} ${actionId} ${digest}`;
}
