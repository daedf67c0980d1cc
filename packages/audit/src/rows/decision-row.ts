/** A row of `decisions`. Empty text means no value. */
import { type Decision, ownFreeFieldsOf, subjectOf } from '@mandate/schemas';
import { z } from 'zod';
import { logColumns, logColumnsOf, type Recorded, storableTime, uint32, uint64 } from '../recorded.ts';
import { limitColumn, limitsWeighed } from './limits-weighed.ts';

export const decisionRow = z.strictObject({
  tenant: z.string().min(1),
  id: z.string().min(1),
  kind: z.string(),
  action_id: z.string(),
  attempt: uint32,
  agent_id: z.string(),
  type: z.string(),
  subject: z.string(),
  tool: z.string(),
  model: z.string(),
  verdict: z.string(),
  code: z.string(),
  observed_verdict: z.string(),
  observed_code: z.string(),
  shadow_verdict: z.string(),
  shadow_code: z.string(),
  shadow_rules: z.array(z.string()),
  mandate_id: z.string(),
  charged_micros: uint64,
  cumulative_micros: z.int(),
  budgets: z.array(
    z.strictObject({ scope: z.string(), subject: z.string(), id: z.string(), window_ms: uint64 }),
  ),
  reason: z.string(),
  arguments: z.string(),
  obligations: z.string(),
  notes: z.string(),
  violations: z.string(),
  events: z.array(z.string()),
  principal_id: z.string(),
  principal_role: z.string(),
  provider: z.string(),
  parent_action_id: z.string(),
  mandate_hash: z.string(),
  policies: z.array(z.string()),
  rules: z.array(z.string()),
  limits: z.array(limitColumn),
  trace_id: z.string(),
  ledger_epoch: z.string(),
  ledger_sequence: uint64,
  appended_at: storableTime,
  decided_at: storableTime,
  ...logColumns,
});

export function decisionRowOf(recorded: Recorded<Decision>): z.input<typeof decisionRow> {
  const { record, traceId } = recorded;
  const { action, mandate } = record;
  return {
    tenant: record.tenant,
    id: record.id,
    kind: record.kind,
    action_id: record.actionId,
    attempt: record.attempt,
    agent_id: record.agentId,
    type: record.type,
    subject: record.tool ?? record.model ?? subjectOf(action),
    tool: record.tool ?? '',
    model: record.model ?? '',
    verdict: record.verdict,
    code: record.code,
    observed_verdict: record.observed?.verdict ?? '',
    observed_code: record.observed?.code ?? '',
    shadow_verdict: record.shadow?.verdict ?? '',
    shadow_code: record.shadow?.code ?? '',
    shadow_rules: record.shadow?.rules ?? [],
    mandate_id: mandate?.id ?? '',
    charged_micros: record.chargedMicros,
    cumulative_micros: record.cumulativeMicros,
    budgets: (record.reservation?.budgets ?? []).map(({ scope, subject, id, windowMs }) => ({
      scope,
      subject,
      id,
      window_ms: windowMs ?? 0,
    })),
    reason: record.reason,
    arguments: argumentsIn(action),
    obligations: jsonOf(record.obligations),
    notes: jsonOf(record.notes),
    violations: jsonOf(record.violations),
    events: record.events ?? [],
    principal_id: action.principal?.id ?? '',
    principal_role: action.principal?.role ?? '',
    provider: record.provider ?? '',
    parent_action_id: action.parentActionId ?? '',
    mandate_hash: mandate?.hash ?? '',
    policies: mandate?.policies ?? [],
    rules: mandate?.rules ?? [],
    limits: limitsWeighed(record),
    trace_id: traceId ?? '',
    ledger_epoch: record.ledgerEpoch,
    ledger_sequence: record.ledgerSequence,
    appended_at: record.appendedAt,
    decided_at: record.decidedAt,
    ...logColumnsOf(recorded),
  };
}

/**
 * Returns the arguments of a tool call as JSON, or the free fields of another kind of action. Empty if there are
 * none.
 */
function argumentsIn(action: Decision['action']): string {
  const own = ownFreeFieldsOf(action);
  if (own.length === 0) return '';
  const [[name, value] = []] = own;
  return JSON.stringify(name === 'args' ? value : Object.fromEntries(own));
}

/** Returns the value as JSON text. Empty if there is no value. */
function jsonOf(value: object | undefined): string {
  return value === undefined ? '' : JSON.stringify(value);
}
