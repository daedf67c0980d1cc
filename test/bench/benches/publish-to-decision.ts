/**
 * How long after its append an agent's action has a decision that everybody can read, at 200 a second on an otherwise
 * idle log. The rival is the same hop, append → consumer → append → reader, with no work between.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, Outgoing } from '@mandate/bus';
import { TOPICS } from '@mandate/schemas';
import { compare, type Sample } from '../measure/compare.ts';
import { latenciesOf } from '../measure/latencies.ts';
import { cpuSince } from '../measure/work.ts';
import type { Row } from '../row.ts';
import { newDecisions } from '../workload/decided.ts';
import { decideOn, newLedger } from '../workload/decider.ts';
import { passThrough } from '../workload/pass-through.ts';
import { newRequests } from '../workload/requests.ts';
import { temporaryLog } from '../workload/temporary-log.ts';

const ACTIONS = 500;
const EVERY_MS = 5;

export async function publishToDecision(): Promise<Row[]> {
  const answers = await newDecisions(ACTIONS);
  return await compare({
    pairs: 4,
    ours: () => hop(async (bus) => decideOn(bus, await newLedger(bus))),
    beside: { what: 'the same hop, no work between', run: () => hop((bus) => passThrough(bus, answers)) },
    figures: {
      p50Ms: { what: 'publish → decision, 200/s, p50', unit: 'ms' },
      p99Ms: { what: 'publish → decision, 200/s, p99', unit: 'ms' },
    },
  });
}

async function hop(
  startDeciding: (bus: Bus) => Promise<{ stop(): Promise<void> }>,
): Promise<Sample<'p50Ms' | 'p99Ms'>> {
  await using log = await temporaryLog();
  const { bus } = log;
  const decider = await startDeciding(bus);
  const answered = await answersOn(bus);
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
  await answered.until(ACTIONS);
  const cpuMicros = cpuSince(cpuBefore) / ACTIONS;
  await answered.stop();
  await decider.stop();
  return { ...latenciesOf(tookMs), cpuMicros };
}

/** In one partition, so that the answers come in the order of the requests and need not be told apart. */
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
