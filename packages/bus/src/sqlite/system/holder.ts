/**
 * A group member that keeps a batch until its parent sends `commit`, for the test of a suspended process: `holder.ts
 * <file> <topic> <session ms>`. Sends `holding` to its parent, and the result of each commit.
 */
import { once } from 'node:events';
import { isMandateError, silentLogger } from '@mandate/runtime';
import { createSqliteBus } from '../create-sqlite-bus.ts';

const [path = '', topic = '', sessionTimeoutMs = '0'] = process.argv.slice(2);

const bus = await createSqliteBus({ path, log: silentLogger() });
const consumer = await bus.consume({
  group: 'workers',
  topics: [topic],
  from: 'earliest',
  sessionTimeoutMs: Number(sessionTimeoutMs),
  async onBatch(batch) {
    const first = batch.records[0]?.position.offset ?? 0;
    process.send?.('holding');
    await once(process, 'message');
    await batch.commit(first + batch.records.length).then(
      () => process.send?.('committed'),
      (error) => {
        process.send?.(isMandateError(error) ? error.code : String(error));
        throw error;
      },
    );
  },
});
process.once('SIGTERM', () => void bus.close().then(() => process.disconnect()));
await consumer.finished;
