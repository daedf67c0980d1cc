/**
 * A process that does what open consoles ask of a plane: each one reads what the page Now reads, then follows the live
 * stream and throws its events away. Says how many decisions came so far,
 * also those that were left out.
 */
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import type { Consoles } from './with-consoles.ts';

/** The reads of the page Now, and of the frame around it. */
const READS = [
  '/v1/session',
  '/v1/kills?limit=10',
  '/v1/reconcile',
  '/v1/ledger/summary',
  '/v1/ledger/agents?limit=1000',
  '/v1/audit/decisions?limit=50',
];
const STREAM = '/v1/audit/live?events=decision&events=settlement&events=control&newest=50';

let events = 0;

function follow(url: string, key: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  request(new URL(STREAM, url), { headers: { authorization: `Bearer ${key}` } })
    .on('response', (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`the stream was refused: ${answer.statusCode}`));
      createInterface({ input: answer }).on('line', (line) => {
        if (line.startsWith('event: decision')) events += 1;
        events += Number(/^data: {"count":(\d+)}$/.exec(line)?.[1] ?? 0);
        resolve();
      });
    })
    .on('error', reject)
    .end();
  return promise;
}

process.once('message', async ({ url, keys }: Consoles) => {
  for (const key of keys) {
    const headers = { authorization: `Bearer ${key}` };
    for (const path of READS) await (await fetch(new URL(path, url), { headers })).arrayBuffer();
    await follow(url, key);
  }
  process.send?.('open');
  setInterval(() => process.send?.(events), 200);
});
process.on('disconnect', () => process.exit());
