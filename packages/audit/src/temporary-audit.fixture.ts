/** An audit for one test file, with its tables, in a directory that is gone afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type AuditClient, MIGRATIONS_DIRECTORY, migrate, openEmbeddedAudit } from './index.ts';

export async function temporaryAudit(): Promise<AuditClient> {
  const directory = mkdtempSync(join(tmpdir(), 'mandate-audit-'));
  const audit = await openEmbeddedAudit({ path: join(directory, 'data') });
  afterAll(async () => {
    await audit.close();
    rmSync(directory, { recursive: true });
  });
  await migrate(audit, MIGRATIONS_DIRECTORY);
  return audit;
}
