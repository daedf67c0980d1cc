/** Creates an embedded audit in its own folder, for the contract tests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MakeAudit } from './contract/audit-under-test.ts';
import { openEmbeddedAudit } from './index.ts';

export const inOwnFolder: MakeAudit = async () => {
  const path = mkdtempSync(join(tmpdir(), 'mandate-audit-'));
  return {
    open: () => openEmbeddedAudit({ path }),
    dispose: async () => rmSync(path, { recursive: true }),
  };
};
