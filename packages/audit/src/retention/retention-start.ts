/**
 * The retention start of each tenant, from the table `kept_from`. Rows from before this time are dropped, or will be
 * dropped soon.
 */
import { tenant } from '@mandate/schemas';
import { z } from 'zod';
import type { AuditClient } from '../port.ts';
import { ask, question } from '../question.ts';
import { EVERYBODY } from './tenant-tables.ts';

/**
 * Records the retention start of each tenant, or of `EVERYBODY`. Call it before any row is dropped, because otherwise
 * dropped rows would look like lost rows.
 */
export async function recordRetentionStart(
  client: AuditClient,
  kept: readonly { tenant: string; fromMs: number }[],
): Promise<void> {
  await client.insert(
    'kept_from',
    kept.map(({ tenant, fromMs }) => ({ tenant, since: new Date(fromMs).toISOString() })),
  );
}

/** Returns one row with the retention start of a tenant. Null if no row of the tenant was ever dropped. */
export const retentionStart = question({
  params: z.strictObject({ tenant }),
  row: z.object({ retentionStartMs: z.int().nullable() }),
  sql: () => `
    SELECT maxOrNull(toUnixTimestamp64Milli(since)) AS retentionStartMs
    FROM kept_from WHERE tenant IN ('${EVERYBODY}', {tenant:String})`,
});

/** Returns the retention start of a tenant in epoch milliseconds, or null. */
export async function tenantRetentionStart(client: AuditClient, tenant: string): Promise<number | null> {
  const [said] = await ask(client, retentionStart, { tenant });
  return said?.retentionStartMs ?? null;
}
