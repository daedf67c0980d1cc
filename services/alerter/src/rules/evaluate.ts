/**
 * Returns the findings of all rules for one record. It also counts the record in `rates`, and changes nothing else.
 */
import type { ActionDecided, DecisionsRecord } from '@mandate/schemas';
import type { Alarms } from './alarms.ts';
import type { AlertRules } from './alert-rules.ts';
import { answered, deferred } from './approval-rule.ts';
import type { BlockRates } from './block-rate-rule.ts';
import { adjusted, budgetsOf } from './budget-rule.ts';
import { costPerCall, excess } from './cost-rules.ts';
import type { Finding } from './finding.ts';
import { firstUse } from './first-use-rule.ts';
import { killed, revived } from './kill-rule.ts';
import { late } from './lag-rule.ts';
import { overdrawn, roomAgain } from './overdrawn-rule.ts';
import { policyEvents } from './policy-event-rule.ts';
import type { ReleaseRates } from './release-rate-rule.ts';

export type LoggedRecord = { record: DecisionsRecord; topic: string; partition: number; offset: number };

/** The counts for rules that use a time window. */
export type Rates = { blocks: BlockRates; releases: ReleaseRates };

export function evaluate(
  { record, ...position }: LoggedRecord,
  rules: AlertRules,
  { alarms, rates }: { alarms: Alarms; rates: Rates },
): Finding[] {
  const { kill, approval, budget, overdrawn: overdraws, blockRate, releaseRate, lag, policyEvent } = rules;
  switch (record.event) {
    case 'agent.killed':
      return kill ? [killed(record)] : [];
    case 'agent.revived':
      return kill ? [revived(record)] : [];
    case 'approval.recorded':
      return approval ? answered(record) : [];
    case 'action.decided': {
      const { decision } = record;
      count(record, position.partition, rules, rates);
      return [
        ...(approval ? deferred(decision, alarms) : []),
        ...(budget ? budgetsOf(decision, budget, alarms) : []),
        ...(overdraws ? roomAgain(decision) : []),
        ...firstUse(decision, { quiet: !rules.firstUse }),
        ...(policyEvent ? policyEvents(decision, policyEvent) : []),
        ...(blockRate ? rates.blocks.findings(decision, blockRate, alarms) : []),
        ...(lag ? late(decision, position, lag) : []),
      ];
    }
    case 'action.settled':
      return [
        ...(overdraws ? overdrawn(record.settlement) : []),
        ...(rules.excess ? excess(record.settlement) : []),
        ...(rules.costPerCall ? costPerCall(record.settlement) : []),
        ...(releaseRate ? rates.releases.settled(record.settlement, position.partition, releaseRate) : []),
      ];
    case 'budget.adjusted':
      return budget ? adjusted(record, budget, alarms) : [];
    case 'ledger.epoch':
      return [];
  }
}

/** Counts a decision in the rates. */
function count(
  { decision }: ActionDecided,
  partition: number,
  { blockRate, releaseRate }: AlertRules,
  rates: Rates,
): void {
  if (blockRate) rates.blocks.count(decision, partition, blockRate);
  if (releaseRate) rates.releases.note(decision, partition);
}

/** Counts a record that is older than the first evaluated record. Returns no findings. */
export function recall(record: DecisionsRecord, partition: number, rules: AlertRules, rates: Rates): void {
  if (record.event === 'action.decided') count(record, partition, rules, rates);
  if (record.event === 'action.settled' && rules.releaseRate)
    rates.releases.settled(record.settlement, partition, rules.releaseRate);
}

/** Returns the findings for a record from before alerting began: only that a tool is known. */
export function evaluateHistory({ record }: LoggedRecord): Finding[] {
  return record.event === 'action.decided' ? firstUse(record.decision, { quiet: true }) : [];
}
