/** Runs one history from its seed. Returns the faults that the checker found. */

import { createMemoryLedger, type Ledger } from '@mandate/ledger';
import { foldLog } from '@mandate/ledger-log';
import { type AtRest, Checker } from './checker.ts';
import { openLog } from './log-client.ts';
import type { LogPorts } from './log-ports.ts';
import { Plane } from './plane.ts';
import { randomOf, Scheduler } from './scheduler.ts';
import { followTimeOf } from './virtual-timers.ts';
import { drawPlane, happen, TENANTS } from './workload.ts';

const START_MS = Date.parse('2026-03-01T12:00:00Z');
/** The maximum number of steps of a history. No history has needed nearly as many. */
const MOST_STEPS = 30_000;

export type Played = {
  faults: readonly string[];
  counts: ReadonlyMap<string, number>;
  steps: number;
  /** What happened in the history, one line for each event. Empty if the caller did not ask for it. */
  told: readonly string[];
};

export async function playHistory(seed: number, tells = false): Promise<Played> {
  // Stack traces take much time, so they are on only if the history is printed.
  Error.stackTraceLimit = tells ? 30 : 0;
  const random = randomOf(seed);
  const deciders = random() < 0.25 ? 0 : 1 + Math.floor(random() * 3);
  const scheduler = new Scheduler(random, { startMs: START_MS, networked: deciders > 0, tells });
  followTimeOf(scheduler);
  const checker = new Checker(() => scheduler.steps);
  const plane = new Plane(scheduler, checker, drawPlane(scheduler, deciders));
  const { untilMs } = happen(scheduler, plane);
  const isBroken = () => checker.faults.length > 0 || plane.ended.length > 0;

  await scheduler.run(() => scheduler.nowMs >= untilMs || isBroken(), MOST_STEPS);
  scheduler.faulty = false;
  const isAtRest = await scheduler.run(() => plane.waitsFor() === null || isBroken(), MOST_STEPS);
  if (!isAtRest) checker.faults.push(`it never comes to rest: it waits for ${plane.waitsFor()}`);
  else if (!isBroken()) checker.atRest(plane.orders, await lookAt(plane), plane.options.maxRemembered);
  for (const error of plane.ended)
    checker.faults.push(`a process ended: ${error instanceof Error ? error.stack : error}`);
  const acknowledged = plane.orders.filter((order) => order.acknowledged !== null).length;
  const seen = [
    ['answers void', checker.void],
    ['answers on the log twice', checker.repeated],
    ['kill acknowledged', acknowledged],
    ['outcome on the log before its decision', checker.early],
    ['decided again after its outcome', checker.decidedAgain],
    ['decided in a tenant that opened killed', checker.openedKilled],
    ['refused for want of room', checker.unremembered],
  ] as const;
  for (const [what, times] of seen) if (times > 0) scheduler.counts.set(what, times);
  return {
    faults: checker.faults,
    counts: scheduler.counts,
    steps: scheduler.steps,
    told: scheduler.told ?? [],
  };
}

const AT_ONCE: LogPorts = {
  call: async (_, effect) => effect(),
  post: (run) => run(),
  sleep: async () => {},
};

async function lookAt(plane: Plane): Promise<AtRest[]> {
  const { ledger } = plane;
  if (ledger === null) throw new Error('there is no ledger');
  const { fold } = await foldLog(openLog(plane.log, AT_ONCE));
  // The ledger ends windows and leases by its own clock, which `ping` advances.
  await ledger.ping();
  const clock = () => ledger.state().clockMs;
  const folded = createMemoryLedger({ clock, epoch: 'folded', state: fold.state });
  const of = async (from: Ledger, tenant: string) => ({
    balances: await from.balances(tenant),
    open: await from.open(tenant),
  });
  return Promise.all(
    TENANTS.map(async (tenant) => {
      const [held, told] = [await of(ledger, tenant), await of(folded, tenant)];
      return { tenant, ...held, folded: told.balances, openFolded: told.open };
    }),
  );
}
