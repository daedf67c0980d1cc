/**
 * A program that tests start as a separate process. It opens the audit in the folder argv[2] and inserts until it is
 * killed.
 */
import { z } from 'zod';
import { openEmbeddedAudit } from '../index.ts';

const BATCH_ROWS = 200;
const [, , path = ''] = process.argv;
const audit = await openEmbeddedAudit({ path });
await audit.command(
  'CREATE TABLE IF NOT EXISTS pulses (id UInt64, batch UInt64, filler String) ENGINE = ReplacingMergeTree ORDER BY id',
);
const [newest] = await audit.query(
  'SELECT max(batch) AS batch FROM pulses',
  {},
  z.object({ batch: z.int() }),
);
for (let batch = (newest?.batch ?? 0) + 1; ; batch += 1) {
  const row = (_: unknown, index: number) => ({
    id: batch * BATCH_ROWS + index,
    batch,
    filler: 'z'.repeat(500),
  });
  await audit.insert('pulses', Array.from({ length: BATCH_ROWS }, row));
  process.stdout.write(`${batch}\n`);
}
