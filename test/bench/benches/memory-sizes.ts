/** Measures the memory of each thing that a ledger holds, in the heap and in Redis. Also measures a stream of kills. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createMemoryLedger, type Ledger, localKillBroadcast } from '@mandate/ledger';
import { systemClock } from '@mandate/runtime';
import { plainRedis } from '@mandate/testing';
import { stated } from '../measure/compare.ts';
import { redisInfo } from '../measure/redis-info.ts';
import type { Row } from '../row.ts';
import { fillings } from '../workload/fill-ledger.ts';
import { gatewayAlone } from '../workload/gateway-alone.ts';
import { emptySharedLedger, startLedgerServer } from '../workload/servers.ts';
import { temporaryLog } from '../workload/temporary-log.ts';

const EACH = 20_000;
const WARM_UP = 2_000;
/** The number of streams in the bench. One key may have 500 streams open. */
const STREAMS = 400;

export async function memorySizes(): Promise<Row[]> {
  // Loads and runs the code once before the measurement, so that the memory of the code itself is not measured.
  const another = createMemoryLedger({ clock: systemClock, epoch: 'ep_bench' });
  for (const { fill } of fillings(WARM_UP)) await fill(another);
  await another.close();
  const ledger = createMemoryLedger({ clock: systemClock, epoch: 'ep_bench' });
  const rows = await weighAll(ledger, 'heap', async () => heapUsed());
  await ledger.close();
  return [...rows, await weighStreams()];
}

export async function redisSizes(): Promise<Row[]> {
  await using server = await startLedgerServer();
  const ledger = await emptySharedLedger(server);
  const redis = plainRedis(server.url);
  try {
    return await weighAll(ledger, 'Redis', async () => {
      const bytes = await redisInfo(redis, 'memory');
      // Redis keeps data in this buffer until it writes the append-only file. The buffer is not part of the ledger.
      return bytes('used_memory') - bytes('mem_aof_buffer');
    });
  } finally {
    redis.disconnect();
    await ledger.close();
  }
}

async function weighAll(ledger: Ledger, where: string, used: () => Promise<number>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { what, fill } of fillings(EACH)) {
    const before = await used();
    await fill(ledger);
    rows.push(stated(`${where}: ${what}`, 'B', [((await used()) - before) / EACH]));
  }
  return rows;
}

/** Measures the memory of streams. The listeners run in another thread, so that this heap holds only the gateway. */
async function weighStreams(): Promise<Row> {
  await using log = await temporaryLog();
  const ledger = createMemoryLedger({ clock: systemClock, epoch: 'ep_bench' });
  await using gateway = await gatewayAlone({ bus: log.bus, ledger, kills: localKillBroadcast() });
  const { url, key } = gateway;
  const before = heapUsed();
  const listeners = new Worker(LISTENERS, { eval: true, workerData: { url, key, streams: STREAMS } });
  await once(listeners, 'message');
  const bytes = heapUsed() - before;
  await listeners.terminate();
  return stated('heap of the gateway: a stream of kills, with its connection', 'B', [bytes / STREAMS]);
}

/** The code of the thread. Sends one message when every stream has begun, and then keeps reading. */
const LISTENERS = `
  const { parentPort, workerData: { url, key, streams } } = require('node:worker_threads');
  const opened = Array.from({ length: streams }, async () => {
    const answer = await fetch(url + '/v1/kills/stream', { headers: { authorization: 'Bearer ' + key } });
    const reader = answer.body.getReader();
    await reader.read();
    (async () => { while (!(await reader.read()).done); })().catch(() => {});
  });
  Promise.all(opened).then(() => parentPort.postMessage('begun'));
`;

/** Returns the bytes in use: the heap, and the buffers of connections, which are outside of the heap. */
function heapUsed(): number {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  const { heapUsed: objects, external } = process.memoryUsage();
  return objects + external;
}
