/** The months from which rows are kept, as the table `kept_from` remembers them: what lies before is gone, or is about to go. */
import { tenant } from '@mandate/schemas';
import { z } from 'zod';
import type { AuditClient } from '../port.ts';
import { ask, question } from '../question.ts';
import { EVERYBODY } from './tenant-tables.ts';

/** Notes it for each tenant, or for `EVERYBODY`, before anything goes, so that removed rows are not taken for lost. */
export async function sayKeptFrom(
  client: AuditClient,
  kept: readonly { tenant: string; fromMs: number }[],
): Promise<void> {
  await client.insert(
    'kept_from',
    kept.map(({ tenant, fromMs }) => ({ tenant, since: new Date(fromMs).toISOString() })),
  );
}

/** One row: the first instant of what the tables hold of a tenant; null where nothing of it was ever dropped. */
export const rowsKeptFrom = question({
  params: z.strictObject({ tenant }),
  row: z.object({ keptFromMs: z.int().nullable() }),
  sql: () => `
    SELECT maxOrNull(toUnixTimestamp64Milli(since)) AS keptFromMs
    FROM kept_from WHERE tenant IN ('${EVERYBODY}', {tenant:String})`,
});

/** The same as a value. */
export async function tenantKeptFrom(client: AuditClient, tenant: string): Promise<number | null> {
  const [said] = await ask(client, rowsKeptFrom, { tenant });
  return said?.keptFromMs ?? null;
}
