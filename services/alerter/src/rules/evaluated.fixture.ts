/** Runs the rules on records, for tests of the rules. */
import { silentLogger } from '@mandate/runtime';
import type { DecisionsRecord } from '@mandate/schemas';
import { createEvaluator } from '../evaluator.ts';
import { Alarms, type Raised } from './alarms.ts';
import { type Alerting, DEFAULT_ALERTING, loadAlerting } from './alert-rules.ts';
import { logged } from './decided.fixture.ts';

export function alertingOf(rules: string): Alerting {
  const loaded = loadAlerting(`{ version: 1, rules: ${rules} }`, {});
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.alerting;
}

const ALL_OFF = {
  kill: false,
  approval: false,
  budget: false,
  overdrawn: false,
  firstUse: false,
  policyEvent: false,
  excess: false,
  costPerCall: false,
  blockRate: false,
  releaseRate: false,
  lag: false,
  drift: false,
};
/** Returns rules with only the given rules turned on. All other rules are off. */
export const only = (rules: object) => alertingOf(JSON.stringify({ ...ALL_OFF, ...rules }));

export function evaluatorOn(alarms: Alarms, alerting: Alerting, begun = new Map<number, number>()) {
  return createEvaluator({ alarms, alerting: () => alerting, begun, log: silentLogger() });
}

/** Returns the alerts that a new evaluator raises and clears for these records, without quiet alerts. */
export function raisedBy(
  records: readonly DecisionsRecord[],
  alerting: Alerting = DEFAULT_ALERTING,
): Raised[] {
  const raised = evaluatorOn(new Alarms(), alerting).evaluate(
    records.map((record, at) => logged(record, at)),
  );
  return raised.filter(({ alert }) => !alert.quiet);
}

/** Each alert as `alert.raised` or `alert.cleared`, with its rule and subject. */
export const brief = (raised: readonly Raised[]) =>
  raised.map(({ event, alert }) => `${event} ${alert.rule} ${alert.subject}`);
