/**
 * A recorder in its own process: `recorder-process.fixture.ts <folder> [<address of a server> <database>]`. Prints a
 * line on stdout after each batch that it commits.
 */
import type { Bus } from '@mandate/bus';
import { startRecorder } from '@mandate/recorder';
import { silentLogger } from '@mandate/runtime';
import { createMetrics } from '@mandate/server';
import { openLog, openTables } from './recording.ts';
import { openTablesOn } from './server-tables.ts';

const [, , folder = '', address, database = ''] = process.argv;
const bus = await openLog(folder);
const telling: Bus = {
  ...bus,
  consume: (options) =>
    bus.consume({
      ...options,
      onBatch: async (batch) => {
        await options.onBatch(batch);
        process.stdout.write('.');
      },
    }),
};
const recorder = await startRecorder({
  bus: telling,
  audit: address === undefined ? await openTables(folder) : await openTablesOn(address, { database }),
  log: silentLogger(),
  metrics: createMetrics({ service: 'recorder' }),
  maxBatch: 40,
  gatherMs: 5,
  sessionTimeoutMs: 300,
});
await recorder.finished;
