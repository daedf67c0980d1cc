/** What each alert rule watches, in words. docs/alerts.md describes the rules in full. */
import type { AlertRuleShown } from '@mandate/alerter';
import { duration } from './time.ts';

type RuleName = AlertRuleShown['rule'];
type Settings = AlertRuleShown['settings'];

const percents = ({ percent }: Settings) => [percent].flat().join(' % or ');
const span = (ms: Settings[string] | undefined) => duration(Number(ms));

/** The title of a rule, and when it raises an alert. */
const RULES: Readonly<Record<RuleName, readonly [title: string, when: (settings: Settings) => string]>> = {
  kill: ['Kill', () => 'An agent, a tenant or everything was killed.'],
  revive: ['Revive', () => 'A kill was ended.'],
  approval: ['Approval', () => 'A call waits for a person.'],
  approval_overdue: [
    'Approval overdue',
    ({ overdueMs }) =>
      overdueMs === undefined
        ? 'A call has waited too long for a person. How long is not set.'
        : `A call has waited ${span(overdueMs)} for a person.`,
  ],
  budget: [
    'Budget',
    (settings) =>
      `${percents(settings)} % of a budget is used. Again only after it fell ${settings.rearmPoints} percentage points below.`,
  ],
  overdrawn: ['Overdrawn', () => 'An outcome cost more than its budget had left.'],
  excess: ['Excess', () => 'An outcome cost more than its cap.'],
  cost_per_call: ['Cost of a call', () => 'An outcome cost more than one call may.'],
  first_use: ['First use', () => 'An agent uses a tool for the first time.'],
  policy_event: [
    'Event of a policy',
    ({ events }) => `A policy marks a decision with ${[events].flat().join(' or ')}.`,
  ],
  block_rate: [
    'Share of blocks',
    (settings) =>
      `${percents(settings)} % of the decisions of one ${settings.per} are BLOCK, among at least ${settings.leastDecisions} within ${span(settings.windowMs)}.`,
  ],
  release_rate: [
    'Share given back',
    (settings) =>
      `Outcomes of an agent give back ${percents(settings)} % of what was reserved, among at least ${settings.leastOutcomes} within ${span(settings.windowMs)}.`,
  ],
  lag: ['Lag', ({ lateMs }) => `A decision, or its record, is ${span(lateMs)} late.`],
  drift: ['Drift', () => 'Log, ledger and audit differ, as a reconcile found.'],
  test: ['Test', () => 'A person asked for a test alert.'],
};

export function alertTitle(rule: string): string {
  return (RULES as Readonly<Record<string, (typeof RULES)[RuleName]>>)[rule]?.[0] ?? rule;
}

/** Returns when the rule raises an alert. A rule that is off has no settings. */
export function alertWhen({ rule, on, settings }: Pick<AlertRuleShown, 'rule' | 'on' | 'settings'>): string {
  return on || Object.keys(settings).length > 0 ? RULES[rule][1](settings) : 'It is off.';
}
