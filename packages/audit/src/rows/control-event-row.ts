/**
 * A row of `control_events`. All events have the same columns. Empty text means no value. An empty tenant means every
 * tenant.
 */
import type { ActionDecided, ActionSettled, DecisionsRecord } from '@mandate/schemas';
import { z } from 'zod';
import { logColumns, logColumnsOf, type Recorded, storableTime, uint32, uint64 } from '../recorded.ts';
import { type ControlChange, toldOfChange } from './control-change.ts';

/** All records of the decisions topic except decisions and settlements. */
type Operated = Exclude<DecisionsRecord, ActionDecided | ActionSettled>;
export type ControlEvent = Operated | ControlChange;

export const controlEventRow = z.strictObject({
  tenant: z.string(),
  event: z.string(),
  id: z.string().min(1),
  scope: z.string(),
  agent_id: z.string(),
  made_by: z.string(),
  reason: z.string(),
  budget_scope: z.string(),
  budget_subject: z.string(),
  budget_id: z.string(),
  budget_window_ms: uint64,
  delta_micros: z.int(),
  ledger_epoch: z.string(),
  happened_at: storableTime,
  subject: z.string(),
  policy_version: uint32,
  revision: uint64,
  refusal: z.string(),
  ...logColumns,
});
type ControlEventRow = z.input<typeof controlEventRow>;

const NEITHER_BUDGET_NOR_CHANGE = {
  budget_scope: '',
  budget_subject: '',
  budget_id: '',
  budget_window_ms: 0,
  delta_micros: 0,
  subject: '',
  policy_version: 0,
  revision: 0,
  refusal: '',
};

export function controlEventRowOf(recorded: Recorded<ControlEvent>): ControlEventRow {
  return {
    ...NEITHER_BUDGET_NOR_CHANGE,
    event: recorded.record.event,
    ...toldBy(recorded.record),
    ...logColumnsOf(recorded),
  };
}

/** Returns the columns with contents that depend on the kind of event. */
export function toldBy(event: ControlEvent) {
  if ('change' in event) return toldOfChange(event);
  switch (event.event) {
    case 'agent.killed':
      return {
        ...operated(event.kill),
        ...target(event.kill.target),
        ledger_epoch: event.kill.ledgerEpoch,
      };
    case 'agent.revived':
      return { ...operated(event.revive), ...target(event.revive.target), ledger_epoch: '' };
    case 'budget.adjusted': {
      const { adjustment } = event;
      const { budget, deltaMicros } = adjustment;
      return {
        ...operated(adjustment),
        tenant: adjustment.tenant,
        scope: '',
        agent_id: budget.scope === 'agent' ? budget.subject : '',
        // The columns of budgets are for money. A correction in another unit is in the payload.
        ...(deltaMicros !== undefined && {
          budget_scope: budget.scope,
          budget_subject: budget.subject,
          budget_id: budget.id,
          budget_window_ms: budget.windowMs ?? 0,
          delta_micros: deltaMicros,
        }),
        ledger_epoch: adjustment.ledgerEpoch,
      };
    }
    case 'approval.recorded': {
      const { approval } = event;
      return {
        ...operated(approval),
        tenant: approval.tenant,
        scope: '',
        agent_id: approval.agentId,
        ledger_epoch: approval.ledgerEpoch,
      };
    }
    case 'ledger.epoch': {
      const { id, at, reason } = event.epoch;
      const row = { id, made_by: '', reason, happened_at: at, tenant: '', scope: '', agent_id: '' };
      return { ...row, ledger_epoch: id };
    }
  }
}

function operated(operation: { id: string; by: string; reason: string; at: string }) {
  return { id: operation.id, made_by: operation.by, reason: operation.reason, happened_at: operation.at };
}

function target(killed: { scope: string; tenant?: string; agentId?: string }) {
  return { scope: killed.scope, tenant: killed.tenant ?? '', agent_id: killed.agentId ?? '' };
}
