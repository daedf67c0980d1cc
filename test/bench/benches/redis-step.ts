/**
 * The atomic step in Redis: seen, kill, three budgets (the tenant's among them), two rates, and what is remembered of the
 * request. Beside it a bare script that gets, compares and sets one counter for each action, as many a call, and plain
 * INCRBYs; on the same server, as many calls under way. What the server's own CPU is for stands in rows of its own.
 */
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
/** A decider has one batch of each partition in hand, and there are eight. */
const AT_ONCE = 8;
const ONE_BY_ONE = 1_000;

type Load = { size: number; actions: number };
type Throughput = Sample<'perSecond' | 'redisMicros'>;

const mandate = mandateOf(mandateDocument({ globs: 10 }));

export async function redisStep(): Promise<Row[]> {
  await using server = await startLedgerServer();
  const bare = bareRedis(server.url);
  const rows: Row[] = [];
  for (const load of SIZES) rows.push(...(await throughput(server, bare, load)));
  rows.push(...(await withConfirmation(server, bare)), ...(await latency(server, bare)));
  bare.close();
  return rows;
}

async function throughput(server: RedisServer, bare: BareRedis, load: Load): Promise<Row[]> {
  const what = `ledger in Redis: step, batches of ${load.size}`;
  const ours = () => stepping(server, bare, load);
  const rate = { what, unit: '/s' } as const;
  return [
    ...(await compare({
      pairs: 3,
      ours,
      beside: {
        what: 'bare script: get, compare, set',
        run: () => counting(bare, load, (names) => bare.compareAndSet(names)),
      },
      figures: { perSecond: rate, redisMicros: { what: `${what}: CPU of Redis`, unit: 'µs' } },
    })),
    ...(await compare({
      pairs: 3,
      ours,
      beside: {
        what: 'INCRBYs, pipelined',
        run: () => counting(bare, load, (names) => bare.increment(names)),
      },
      figures: { perSecond: rate },
    })),
  ];
}

/** As a decider has them: the agents of one partition, and once their decisions are on the log the news of that. */
function withConfirmation(server: RedisServer, bare: BareRedis): Promise<Row[]> {
  const what = 'ledger in Redis: step + confirm, batches of 500 of a partition';
  const load = { size: 500, actions: 10_000 };
  return compare({
    pairs: 3,
    ours: () => stepping(server, bare, load, true),
    beside: {
      what: 'bare script: get, compare, set',
      run: () => counting(bare, load, (names) => bare.compareAndSet(names)),
    },
    figures: {
      perSecond: { what, unit: '/s' },
      redisMicros: { what: `${what}: CPU of Redis`, unit: 'µs' },
    },
  });
}

async function stepping(
  server: RedisServer,
  { redis }: BareRedis,
  load: Load,
  asDeciders = false,
): Promise<Throughput> {
  const ledger = await emptySharedLedger(server);
  const requests = stepRequests(load.actions, mandate);
  const batches = asDeciders
    ? partitionBatches(requests, load.size, partitionOfAgent)
    : partitionBatches(requests, load.size, () => 0);
  // The tenant is opened, and the script is known to the server, with the first call of all.
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

function counting(
  { redis }: BareRedis,
  load: Load,
  charge: (counters: readonly string[]) => Promise<void>,
): Promise<Throughput> {
  const counters = counterNames(load.actions);
  return measuredOn(redis, load.actions, () =>
    inBatches(counters, { size: load.size, atOnce: AT_ONCE }, charge),
  );
}

function counterNames(actions: number): string[] {
  return stepRequests(actions, mandate).map(({ tenant, agentId }) => `bare:{${tenant}}:${agentId}`);
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
    beside: {
      what: 'EVALSHA of the bare script',
      run: () => oneByOne(counterNames(ONE_BY_ONE), (name) => bare.compareAndSet([name])),
    },
    figures: { p50Ms: { what: `${what}, p50`, unit: 'ms' }, p99Ms: { what: `${what}, p99`, unit: 'ms' } },
  });
}
