/**
 * A group member for the system tests: `consumer.ts <file> <topic> <journal>`. Writes each record with the machine's
 * time to its journal before the commit, like a service that acts before the commit. Ends gracefully on SIGTERM.
 */
import { appendFileSync } from 'node:fs';
import { silentLogger } from '@mandate/runtime';
import { createSqliteBus } from '../create-sqlite-bus.ts';

const [path = '', topic = '', journal = ''] = process.argv.slice(2);

const bus = await createSqliteBus({ path, log: silentLogger() });
const consumer = await bus.consume({
  group: 'workers',
  topics: [topic],
  from: 'earliest',
  maxBatch: 25,
  sessionTimeoutMs: 400,
  async onBatch(batch) {
    for (const { position, value } of batch.records) {
      if (batch.signal.aborted) return;
      const time = process.hrtime.bigint();
      appendFileSync(journal, `${time} ${position.partition} ${position.offset} ${Buffer.from(value)}\n`);
      await batch.commit(position.offset + 1);
    }
  },
});
process.once('SIGTERM', () => void bus.close());
await consumer.finished;
