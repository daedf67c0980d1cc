import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditContract } from './contract.ts';
import { openEmbeddedAudit } from './index.ts';

auditContract('ClickHouse in this process', async () => {
  const path = mkdtempSync(join(tmpdir(), 'mandate-audit-'));
  return {
    open: () => openEmbeddedAudit({ path }),
    dispose: async () => rmSync(path, { recursive: true }),
  };
});
