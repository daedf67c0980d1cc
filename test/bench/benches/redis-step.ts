/**
 * Measures the atomic step in Redis: replay memory, kill switch, three budgets (one of them the tenant's), two rates,
 * and the stored decision. The first rival is the smallest script that could do the job, run once per action in a
 * pipeline (get, compare, set). The second is rate-limiter-flexible, which enforces the same five limits and nothing
 * else. All use the same server, one connection, and the same number of actions in progress. Further rows show the
 * CPU time of the server.
 */
import type { StepRequest } from '@mandate/schemas';
import type { RedisServer } from '@mandate/testing';
import { compare, type Sample } from '../measure/compare.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import { redisCpuMicros } from '../measure/redis-cpu.ts';
import { measureWork } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { type BareRedis, bareRedis } from '../workload/bare-redis.ts';
import { inBatches } from '../workload/in-batches.ts';
import { mandateDocument, mandateOf } from '../workload/mandate.ts';
import { partitionBatches, partitionOfAgent } from '../workload/partition-batches.ts';
import { emptySharedLedger, startLedgerServer } from '../workload/servers.ts';
import { stepRequests } from '../workload/step-requests.ts';

const SIZES = [
  { size: 1, actions: 3_000 },
  { size: 100, actions: 10_000 },
  { size: 500, actions: 10_000 },
];
/** The number of batches in progress. A decider has one batch of each partition, and there are eight partitions. */
const AT_ONCE = 8;
const ONE_BY_ONE = 1_000;

type Load = { size: number; actions: number };
type Throughput = Sample<'perSecond' | 'redisMicros'>;

const mandate = mandateOf(mandateDocument({ globs: 10 }));

export async function redisStep(): Promise<Row[]> {
  await using server = await startLedgerServer();
  const bare = bareRedis(server.url);
  const rows: Row[] = [];
  for (const load of SIZES) {
    const what = `ledger in Redis: step, batches of ${load.size}`;
    rows.push(...(await throughput(server, bare, load, { what, asDeciders: false })));
  }
  const what = 'ledger in Redis: step + confirm, batches of 500 of a partition';
  const ofPartition = { size: 500, actions: 10_000 };
  rows.push(...(await throughput(server, bare, ofPartition, { what, asDeciders: true })));
  rows.push(...(await latency(server, bare)));
  bare.close();
  return rows;
}

/**
 * @param asDeciders if true, each batch has agents of one partition only and is confirmed after the step, as in a
 * decider
 */
async function throughput(
  server: RedisServer,
  bare: BareRedis,
  load: Load,
  { what, asDeciders }: { what: string; asDeciders: boolean },
): Promise<Row[]> {
  const rivals = {
    'an EVALSHA each: get, compare, set': bare.compareAndSet,
    'rate-limiter-flexible, five limits': bare.consumeAll,
  };
  const rows: Row[] = [];
  for (const [rival, charge] of Object.entries(rivals)) {
    const compared = await compare({
      pairs: 3,
      ours: () => stepping(server, bare, load, asDeciders),
      rival: { what: rival, run: () => charging(bare, load, charge) },
      figures: {
        perSecond: { what, unit: '/s' },
        redisMicros: { what: `${what}: CPU of Redis`, unit: 'µs' },
      },
    });
    rows.push(...compared);
  }
  return rows;
}

async function stepping(
  server: RedisServer,
  { redis }: BareRedis,
  load: Load,
  asDeciders: boolean,
): Promise<Throughput> {
  const ledger = await emptySharedLedger(server);
  const requests = stepRequests(load.actions, mandate);
  const batches = asDeciders
    ? partitionBatches(requests, load.size, partitionOfAgent)
    : partitionBatches(requests, load.size, () => 0);
  // The very first call opens the tenant and loads the script into the server, so it is not measured.
  await ledger.step(stepRequests(1, mandate));
  let allowed = 0;
  const measured = await measuredOn(redis, load.actions, () =>
    inBatches(batches, { size: 1, atOnce: AT_ONCE }, async ([batch = []]) => {
      for (const result of await ledger.step(batch)) {
        if (result.kind === 'decided' && result.facts.leaseExpiresAtMs !== null) allowed += 1;
      }
      if (asDeciders) await ledger.confirm(ledger.epoch, batch);
    }),
  );
  await ledger.close();
  if (allowed !== load.actions) throw new Error(`allowed ${allowed} of ${load.actions}`);
  return measured;
}

function charging(
  { redis }: BareRedis,
  load: Load,
  charge: (actions: readonly StepRequest[]) => Promise<void>,
): Promise<Throughput> {
  const requests = stepRequests(load.actions, mandate);
  return measuredOn(redis, load.actions, () =>
    inBatches(requests, { size: load.size, atOnce: AT_ONCE }, charge),
  );
}

async function measuredOn(
  redis: BareRedis['redis'],
  units: number,
  work: () => Promise<void>,
): Promise<Throughput> {
  const before = await redisCpuMicros(redis);
  const measured = await measureWork(units, work);
  return { ...measured, redisMicros: ((await redisCpuMicros(redis)) - before) / units };
}

function latency(server: RedisServer, bare: BareRedis): Promise<Row[]> {
  const what = 'ledger in Redis: one step at a time';
  return compare({
    pairs: 3,
    ours: async () => {
      const ledger = await emptySharedLedger(server);
      await ledger.step(stepRequests(1, mandate));
      const measured = await oneByOne(stepRequests(ONE_BY_ONE, mandate), (request) => ledger.step([request]));
      await ledger.close();
      return measured;
    },
    rival: {
      what: 'an EVALSHA: get, compare, set',
      run: () => oneByOne(stepRequests(ONE_BY_ONE, mandate), (request) => bare.compareAndSet([request])),
    },
    figures: { p50Ms: { what: `${what}, p50`, unit: 'ms' }, p99Ms: { what: `${what}, p99`, unit: 'ms' } },
  });
}
