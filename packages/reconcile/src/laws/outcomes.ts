/**
 * Checks the law of outcomes. An outcome finds the decision that it reports on. The first outcome for an ALLOW
 * settles its reservation by the terms of the decision. Later outcomes change nothing.
 */
import type { Settlement } from '@mandate/schemas';
import type { Findings } from './law.ts';
import { namesOf, type Step } from './step.ts';
import type { StoredDecision } from './stored-decisions.ts';
import type { createTerms } from './terms.ts';

type Terms = Pick<ReturnType<typeof createTerms>, 'faultOf'>;

/** Checks an outcome. `known` is the valid decision about the attempt, if it is still remembered. */
export function checkOutcome(
  findings: Findings,
  { at }: Pick<Step, 'at'>,
  settlement: Settlement,
  { known, terms, isWhole }: { known: StoredDecision | undefined; terms: Terms; isWhole: boolean },
): void {
  if (!isWhole) {
    findings.leftOut();
    return;
  }
  findings.checked();
  const expected = kindOf(known);
  const isForgotten = known !== undefined && known.forgetAtMs <= Date.parse(settlement.settledAt);
  const broken = (what: string) => findings.broken(() => ({ at, ids: namesOf(settlement), what }));
  if (settlement.kind !== expected && !(isForgotten && settlement.kind === 'unknown')) {
    broken(`it says ${settlement.kind}, and by the log it is ${expected}`);
  } else if (settlement.kind !== 'settled' && movedBy(settlement) !== 0) {
    broken(`it is ${settlement.kind}, and moved ${movedBy(settlement)} micro-dollars`);
  } else if (settlement.kind === 'settled' && known !== undefined) {
    const { deltaMicros, chargedMicros } = settlement;
    if (known.reservedMicros + deltaMicros !== chargedMicros) {
      broken(`${known.reservedMicros} were reserved and ${deltaMicros} moved, which is not ${chargedMicros}`);
      return;
    }
    const fault = terms.faultOf(settlement, known);
    if (fault !== null) broken(fault);
  }
}

function movedBy({ deltaMicros, excessMicros, releasedMicros }: Settlement): number {
  return Math.abs(deltaMicros) + excessMicros + Math.abs(releasedMicros);
}

function kindOf(known: StoredDecision | undefined): Settlement['kind'] {
  if (known === undefined) return 'unknown';
  if (known.budgets === null) return 'not_allowed';
  return known.isSettled ? 'repeated' : 'settled';
}
