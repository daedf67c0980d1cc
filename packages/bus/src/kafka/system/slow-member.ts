/**
 * A group member for fault tests: `slow-member.ts <broker> <topic> <group> <session ms>`. Takes one batch, prints
 * `taken`, waits for a line on stdin, commits, and prints the result.
 */
import { once } from 'node:events';
import { isMandateError, silentLogger } from '@mandate/runtime';
import { createKafkaBus } from '../create-kafka-bus.ts';

const [broker = '', topic = '', group = '', sessionTimeoutMs] = process.argv.slice(2);

const bus = await createKafkaBus({ brokers: [broker], clientId: 'slow-member', log: silentLogger() });
await bus.consume({
  group,
  topics: [topic],
  from: 'earliest',
  sessionTimeoutMs: Number(sessionTimeoutMs),
  async onBatch(batch) {
    process.stdout.write('taken\n');
    await once(process.stdin, 'data');
    const outcome = await batch.commit((batch.records.at(-1)?.position.offset ?? 0) + 1).then(
      () => 'committed',
      (error) => (isMandateError(error) ? error.code : `${error}`),
    );
    process.stdout.write(`${outcome}\n`);
    await new Promise(() => {});
  },
});
