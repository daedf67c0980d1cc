/** What the rules read from one record. Pure, but for the block rates, which count it. */
import type { DecisionsRecord } from '@mandate/schemas';
import type { Alarms } from './alarms.ts';
import type { AlertRules } from './alert-rules.ts';
import { answered, deferred } from './approval-rule.ts';
import type { BlockRates } from './block-rate-rule.ts';
import { adjusted, budgetsOf } from './budget-rule.ts';
import type { Finding } from './finding.ts';
import { firstUse } from './first-use-rule.ts';
import { killed, revived } from './kill-rule.ts';
import { late } from './lag-rule.ts';
import { overdrawn, roomAgain } from './overdrawn-rule.ts';

export type Seen = { record: DecisionsRecord; topic: string; partition: number; offset: number };

export function evaluate(
  { record, ...place }: Seen,
  rules: AlertRules,
  { alarms, rates }: { alarms: Alarms; rates: BlockRates },
): Finding[] {
  const { kill, approval, budget, overdrawn: overdraws, blockRate, lag } = rules;
  switch (record.event) {
    case 'agent.killed':
      return kill ? [killed(record)] : [];
    case 'agent.revived':
      return kill ? [revived(record)] : [];
    case 'approval.recorded':
      return approval ? answered(record) : [];
    case 'action.decided': {
      const { decision } = record;
      if (blockRate) rates.count(decision, place.partition, blockRate);
      return [
        ...(approval ? deferred(decision, alarms) : []),
        ...(budget ? budgetsOf(decision, budget) : []),
        ...(overdraws ? roomAgain(decision) : []),
        ...firstUse(decision, { quiet: !rules.firstUse }),
        ...(blockRate ? rates.findings(decision, blockRate) : []),
        ...(lag ? late(decision, place, lag) : []),
      ];
    }
    case 'action.settled':
      return overdraws ? overdrawn(record.settlement) : [];
    case 'budget.adjusted':
      return budget ? adjusted(record, budget, alarms) : [];
    case 'ledger.epoch':
      return [];
  }
}

/** What counts of what happened before there were alerts: which tools are known. */
export function evaluateHistory({ record }: Seen): Finding[] {
  return record.event === 'action.decided' ? firstUse(record.decision, { quiet: true }) : [];
}
