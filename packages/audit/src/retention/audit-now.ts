/** The clock of ClickHouse. Retention uses this clock to decide which rows are past. */
import { z } from 'zod';
import type { AuditClient } from '../port.ts';
import { ask, question } from '../question.ts';

const clockOfAudit = question({
  params: z.strictObject({}),
  row: z.object({ nowMs: z.int() }),
  sql: () => 'SELECT toUnixTimestamp64Milli(now64(3)) AS nowMs',
});

/** Returns the current time of ClickHouse, in epoch ms. */
export async function auditNowMs(client: AuditClient): Promise<number> {
  const [row] = await ask(client, clockOfAudit, {});
  if (row === undefined) throw new TypeError('ClickHouse did not say what time it is');
  return row.nowMs;
}
