/** Log, ledger and audit do not agree on what was spent, or a law of the plane is broken: from a reconciler that says so until one that finds none. */
import { formatMicros, wireTime } from '@mandate/schemas';
import type { Finding } from './finding.ts';

/** What a reconciler compared, and found. */
export type Reconciled = {
  driftMicros: number;
  counters: number;
  differences: number;
  doubledActions: number;
  /** How many laws are. */
  brokenLaws: number;
};

export function drifted(tenant: string, reconciled: Reconciled, atMs: number): Finding {
  const { driftMicros, counters, differences, doubledActions, brokenLaws } = reconciled;
  const holds = driftMicros !== 0 || doubledActions > 0 || brokenLaws > 0;
  const what = `${differences} of ${counters} counters differ by ${formatMicros(driftMicros)}`;
  return {
    rule: 'drift',
    tenant,
    subject: 'log ledger audit',
    holds,
    // Reconcilers tell one after the other; no record of the log has a part in it.
    order: atMs,
    at: wireTime(atMs),
    said: holds
      ? `Log, ledger and audit drift: ${what}, ${doubledActions} actions were decided twice, ${brokenLaws} laws are broken.`
      : `Log, ledger and audit agree: ${counters} counters.`,
    facts: { ...reconciled },
  };
}
