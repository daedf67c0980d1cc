/** A row of `audit_reads`. */
import type { AuditRead } from '@mandate/schemas';
import { z } from 'zod';
import { logColumns, logColumnsOf, type Recorded, storableTime } from '../recorded.ts';

export const auditReadRow = z.strictObject({
  tenant: z.string(),
  id: z.string().min(1),
  key_id: z.string(),
  key_name: z.string(),
  method: z.string(),
  route: z.string(),
  parameters: z.string(),
  refused: z.boolean(),
  code: z.string(),
  request_id: z.string(),
  trace_id: z.string(),
  read_at: storableTime,
  ...logColumns,
});

export function auditReadRowOf(recorded: Recorded<AuditRead>): z.input<typeof auditReadRow> {
  const { record } = recorded;
  return {
    tenant: record.tenant ?? '',
    id: record.id,
    key_id: record.key?.id ?? '',
    key_name: record.key?.name ?? '',
    method: record.method,
    route: record.route,
    parameters: JSON.stringify(record.parameters),
    refused: record.refused,
    code: record.code ?? '',
    request_id: record.requestId,
    trace_id: record.traceId ?? '',
    read_at: record.at,
    ...logColumnsOf(recorded),
  };
}
