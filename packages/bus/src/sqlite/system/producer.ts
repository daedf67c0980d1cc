/**
 * A producer for the system tests: `producer.ts <file> <topic> <name> <journal>`. Appends numbered records under a
 * few keys, and writes each acknowledged record to its journal. After a kill and a restart, it continues after the
 * last record in the journal. So it appends unacknowledged records again, like any producer. Ends on SIGTERM.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { silentLogger } from '@mandate/runtime';
import { createSqliteBus } from '../create-sqlite-bus.ts';

const [path = '', topic = '', name = '', journal = ''] = process.argv.slice(2);
const KEYS = 5;
const BATCH = 20;

const bus = await createSqliteBus({ path, log: silentLogger() });
// A kill may cut the last line, which then has no line end and does not count.
const done = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').length - 1 : 0;
let stopping = false;
process.once('SIGTERM', () => {
  stopping = true;
});
for (let next = done; !stopping; next += BATCH) {
  const numbers = Array.from({ length: BATCH }, (_, i) => next + i);
  const records = numbers.map((number) => ({ key: `${name}/${number % KEYS}`, value: `${name}:${number}` }));
  const acks = await bus.append(topic, records);
  const lines = acks.map(
    ({ position }, i) => `${position.partition} ${position.offset} ${records[i]?.value}\n`,
  );
  appendFileSync(journal, lines.join(''));
  await pause(1);
}
await bus.close();
