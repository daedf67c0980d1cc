/**
 * Measures the time from the append of an agent's action until every reader can see the decision, at 200 actions a
 * second on an otherwise idle log. Two forms: embedded, and on Kafka with the ledger in Redis. The rival is the same
 * path, append → consumer → append → reader, without work in between.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Outgoing } from '@mandate/bus';
import { TOPICS } from '@mandate/schemas';
import { startKafka } from '@mandate/testing';
import { compare, type Sample } from '../measure/compare.ts';
import { type Latencies, latenciesOf } from '../measure/latencies.ts';
import { cpuSince } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newDecisions } from '../workload/decided.ts';
import { decideOn, newLedger } from '../workload/decider.ts';
import { passThrough } from '../workload/pass-through.ts';
import { newRequests } from '../workload/requests.ts';
import { emptySharedLedger, logOn, startLedgerServer } from '../workload/servers.ts';
import { temporaryLog } from '../workload/temporary-log.ts';

const ACTIONS = 1_000;
const EVERY_MS = 5;

type Running = { stop(): Promise<void> };
type Hop = Sample<keyof Latencies>;

export function publishToDecision(): Promise<Row[]> {
  return compareLatency('publish → decision', {
    deciding: () => onTemporaryLog(async (bus) => decideOn(bus, await newLedger(bus))),
    passing: (answers) => onTemporaryLog((bus) => passThrough(bus, answers)),
  });
}

export async function publishToDecisionDistributed(): Promise<Row[]> {
  await using kafka = await startKafka();
  await using redis = await startLedgerServer();
  const bus = await logOn(kafka);
  const rows = await compareLatency('publish → decision on Kafka and Redis', {
    deciding: () =>
      hop(bus, async () => {
        const ledger = await emptySharedLedger(redis);
        const decider = await decideOn(bus, ledger);
        return { stop: () => decider.stop().then(() => ledger.close()) };
      }),
    passing: (answers) => hop(bus, () => passThrough(bus, answers)),
  });
  await bus.close();
  return rows;
}

async function compareLatency(
  what: string,
  hops: { deciding: () => Promise<Hop>; passing: (answers: readonly Outgoing[]) => Promise<Hop> },
): Promise<Row[]> {
  const answers = await newDecisions(ACTIONS + 1);
  return await compare({
    pairs: 4,
    ours: hops.deciding,
    rival: { what: 'the same hop, no work between', run: () => hops.passing(answers) },
    figures: {
      p50Ms: { what: `${what}, 200/s, p50`, unit: 'ms' },
      p99Ms: { what: `${what}, 200/s, p99`, unit: 'ms' },
    },
  });
}

async function onTemporaryLog(startDeciding: (bus: Bus) => Promise<Running>): Promise<Hop> {
  await using log = await temporaryLog();
  return await hop(log.bus, () => startDeciding(log.bus));
}

async function hop(bus: Bus, startDeciding: () => Promise<Running>): Promise<Hop> {
  const decider = await startDeciding();
  const answered = await answersOn(bus);
  // Publishes one action and waits for its decision, because the decider has then joined its group.
  await bus.append(TOPICS.actions, oneAgents(1));
  await answered.until(1);
  const sentMs: number[] = [];
  const tookMs: number[] = [];
  answered.onNext = (nowMs) => tookMs.push(nowMs - (sentMs[tookMs.length] ?? Number.NaN));
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  for (const [index, request] of oneAgents(ACTIONS).entries()) {
    await sleep(Math.max(0, startMs + index * EVERY_MS - performance.now()));
    sentMs.push(performance.now());
    void bus.append(TOPICS.actions, [request]);
  }
  await answered.until(1 + ACTIONS);
  const cpuMicros = cpuSince(cpuBefore) / ACTIONS;
  await answered.stop();
  await decider.stop();
  return { ...latenciesOf(tookMs), cpuMicros };
}

/** Makes records of one agent. They are in one partition, so the answers arrive in the order of the requests. */
function oneAgents(count: number): Outgoing[] {
  return newRequests(count).map((request) => ({ ...request, partition: 0 }));
}

async function answersOn(bus: Bus) {
  const watch = { onNext: (_nowMs: number) => {} };
  let seen = 0;
  let wake = () => {};
  const reader = await bus.read({
    topics: [TOPICS.decisions],
    from: 'latest',
    onRecords(records) {
      const nowMs = performance.now();
      for (const _ of records) watch.onNext(nowMs);
      seen += records.length;
      wake();
    },
  });
  await reader.caughtUp;
  return Object.assign(watch, {
    stop: () => reader.stop(),
    async until(count: number) {
      while (seen < count) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
  });
}
