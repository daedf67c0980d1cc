/** A row of `sdk_records`. Empty text means no value. */
import { type SdkRecord, subjectOf } from '@mandate/schemas';
import { z } from 'zod';
import { logColumns, logColumnsOf, type Recorded, storableTime, uint32 } from '../recorded.ts';

export const sdkRecordRow = z.strictObject({
  tenant: z.string().min(1),
  id: z.string().min(1),
  key_id: z.string(),
  event: z.string(),
  kind: z.string(),
  action_id: z.string(),
  attempt: uint32,
  agent_id: z.string(),
  type: z.string(),
  subject: z.string(),
  verdict: z.string(),
  code: z.string(),
  reason: z.string(),
  delta_micros: z.int(),
  happened_at: storableTime,
  ...logColumns,
});
type SdkRecordRow = z.input<typeof sdkRecordRow>;

export function sdkRecordRowOf(recorded: Recorded<SdkRecord>): SdkRecordRow {
  const { record } = recorded;
  const { id, kind, actionId, attempt, tenant, agentId, code, reason } = contentOf(record);
  return {
    tenant,
    id,
    key_id: record.decidedBy.keyId ?? '',
    event: record.event,
    kind,
    action_id: actionId,
    attempt,
    agent_id: agentId,
    code,
    reason,
    ...ownColumns(record),
    ...logColumnsOf(recorded),
  };
}

function contentOf(record: SdkRecord) {
  return record.event === 'sdk.decided' ? record.decision : record.settlement;
}

/** Returns the columns that come from different fields of decisions and settlements. */
function ownColumns(
  record: SdkRecord,
): Pick<SdkRecordRow, 'type' | 'subject' | 'verdict' | 'delta_micros' | 'happened_at'> {
  if (record.event === 'sdk.settled') {
    const { deltaMicros, excessMicros, settledAt } = record.settlement;
    const none = { type: '', subject: '', verdict: '' };
    return { ...none, delta_micros: deltaMicros + excessMicros, happened_at: settledAt };
  }
  const { type, tool, model, action, verdict, chargedMicros, decidedAt } = record.decision;
  const subject = tool ?? model ?? subjectOf(action);
  return { type, subject, verdict, delta_micros: chargedMicros, happened_at: decidedAt };
}
