/**
 * The rule for drift: log, ledger and audit disagree about spending, or a law of the plane is broken. The alarm lasts
 * from a report with drift until a report without drift.
 */
import { formatMicros, wireTime } from '@mandate/schemas';
import type { Finding } from './finding.ts';

/** The result of a reconciler: how much it compared, and how much of it differs. */
export type Reconciled = {
  driftMicros: number;
  driftTokens: number;
  driftToolCalls: number;
  counters: number;
  differences: number;
  doubledActions: number;
  /** How many of the laws that every plane must keep are broken. */
  brokenLaws: number;
};

export function drifted(tenant: string, reconciled: Reconciled, atMs: number): Finding {
  const { driftMicros, driftTokens, driftToolCalls, counters, differences, doubledActions, brokenLaws } =
    reconciled;
  const drifts = driftMicros !== 0 || driftTokens !== 0 || driftToolCalls !== 0;
  const holds = drifts || doubledActions > 0 || brokenLaws > 0;
  const tokens = driftTokens === 0 ? '' : ` and ${driftTokens} tokens`;
  const toolCalls = driftToolCalls === 0 ? '' : ` and ${driftToolCalls} tool calls`;
  const what = `${differences} of ${counters} counters differ by ${formatMicros(driftMicros)}${tokens}${toolCalls}`;
  return {
    rule: 'drift',
    tenant,
    subject: 'log ledger audit',
    holds,
    // The time of a report is its order, because a report does not come from a record of the log.
    order: atMs,
    at: wireTime(atMs),
    message: holds
      ? `Log, ledger and audit drift: ${what}, ${doubledActions} actions were decided twice, ${brokenLaws} laws are broken.`
      : `Log, ledger and audit agree: ${counters} counters.`,
    facts: { driftMicros, driftTokens, driftToolCalls, counters, differences, doubledActions, brokenLaws },
  };
}
