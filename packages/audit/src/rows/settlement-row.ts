/** A row of `settlements`. */
import { outcomeResult, type Settlement } from '@mandate/schemas';
import { z } from 'zod';
import { logColumns, logColumnsOf, type Recorded, storableTime, uint32, uint64 } from '../recorded.ts';

export const settlementRow = z.strictObject({
  tenant: z.string().min(1),
  id: z.string().min(1),
  kind: z.string(),
  action_id: z.string(),
  attempt: uint32,
  agent_id: z.string(),
  status: z.string(),
  code: z.string(),
  delta_micros: z.int(),
  charged_micros: uint64,
  cumulative_micros: z.int(),
  result: z.enum(['succeeded', 'failed', 'cancelled']),
  reported_by: z.string(),
  may_release: z.boolean(),
  excess_micros: uint64,
  released_micros: z.int(),
  input_tokens: uint64.nullable(),
  cached_input_tokens: uint64.nullable(),
  cache_write_tokens: uint64.nullable(),
  output_tokens: uint64.nullable(),
  reasoning_tokens: uint64.nullable(),
  usage_micros: uint64.nullable(),
  tool_calls: z.array(z.strictObject({ tool: z.string(), calls: uint32 })),
  marks: z.array(z.string()),
  reason: z.string(),
  late: z.boolean(),
  ledger_epoch: z.string(),
  ledger_sequence: uint64,
  settled_at: storableTime,
  ...logColumns,
});

export function settlementRowOf(recorded: Recorded<Settlement>): z.input<typeof settlementRow> {
  const { record } = recorded;
  return {
    tenant: record.tenant,
    id: record.id,
    kind: record.kind,
    action_id: record.actionId,
    attempt: record.attempt,
    agent_id: record.agentId,
    status: record.status,
    code: record.code,
    delta_micros: record.deltaMicros,
    charged_micros: record.chargedMicros,
    cumulative_micros: record.cumulativeMicros,
    result: outcomeResult(record),
    reported_by: record.reportedBy.keyId ?? '',
    may_release: record.reportedBy.mayRelease,
    excess_micros: record.excessMicros,
    released_micros: record.releasedMicros,
    ...tokenColumns(record),
    tool_calls: record.toolCalls ?? [],
    marks: record.marks,
    reason: record.reason,
    late: record.late,
    ledger_epoch: record.ledgerEpoch,
    ledger_sequence: record.ledgerSequence,
    settled_at: record.settledAt,
    ...logColumnsOf(recorded),
  };
}

function tokenColumns({ usage, usageMicros }: Settlement) {
  return {
    input_tokens: usage?.inputTokens ?? null,
    cached_input_tokens: usage === undefined ? null : (usage.cachedInputTokens ?? 0),
    cache_write_tokens: usage === undefined ? null : (usage.cacheWriteTokens ?? 0),
    output_tokens: usage?.outputTokens ?? null,
    reasoning_tokens: usage?.reasoningTokens ?? null,
    usage_micros: usageMicros ?? null,
  };
}
