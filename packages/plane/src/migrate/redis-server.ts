/**
 * Checks the settings of the ledger's server: version, noeviction, append-only file. Nothing on the server is
 * changed.
 */
import { openSharedLedger } from '@mandate/ledger';
import { type Finding, finding } from './finding.ts';
import type { MigrateConfig } from './migrate-config.ts';
import { takeNotes } from './notes.ts';

export async function* redisServer(config: MigrateConfig): AsyncGenerator<Finding> {
  const notes = takeNotes();
  yield await finding({ server: 'redis', what: 'settings' }, async () => {
    const ledger = await openSharedLedger(config, notes.log);
    const holds =
      ledger?.epoch === ''
        ? 'no ledger in force for this version yet: a decider folds it from the log'
        : `ledger epoch ${ledger?.epoch}`;
    await ledger?.close();
    return { state: 'ok', detail: [holds, ...notes.take()].join('; ') };
  });
}
