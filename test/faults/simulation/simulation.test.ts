/**
 * A plane in virtual time, as FoundationDB and TigerBeetle test theirs. Deciders, gateway, log and ledger run in one
 * process, and a seeded scheduler owns every call of a port (scheduler.ts). Each history is a function of its seed.
 * The code is the real code: the decider from consumer to commit, plan and decide, the memory ledger, rebuild and
 * restore with their snapshots, the fold, and the gateway's kill, revive and journal. The seed also decides what
 * agents and operators do, and which faults happen (workload.ts). At the end nothing fails any more, and the log
 * shows whether all laws hold (checker.ts).
 *
 *   faults         A process dies before or after any call takes effect, and is started again. A call fails; or it
 *                  takes effect and its answer is lost; or it is delayed beyond a session or a lease; or it takes
 *                  effect long after its caller got an error or died. Records of an agent are in several
 *                  partitions. A partition moves while its owner works. A live member is removed from the group.
 *                  The topic is read again from 0. The ledger is lost, or restarted and no longer trusted, at any
 *                  moment, even during a rebuild, and when an outcome is on the log before its decision. The clock
 *                  jumps. The clocks of processes differ, and the clock of a server that replaces a lost one is up
 *                  to 50 s wrong.
 *   in memory      The log (memory-log.ts keeps the contract of the bus), the snapshot file, and the registry
 *                  around the shared ledger (shared-ledger.ts), in which each call of Redis is atomic.
 *   not simulated  The Redis scripts, the Kafka protocol, HTTP, SQLite, ClickHouse and the recorder. The tests
 *                  beside this folder run and kill the real ones. Also sealing, redaction, tracing, approvals,
 *                  adjustments, and deliveries after the replay memory of a day.
 *
 * `npm test` plays 300 histories, a full run 10,000 or as many as fit into two minutes, and the long form 100,000.
 * `SEED` chooses others (`npm run test:faults`). A failure names the seed of its history.
 * `SIMULATION_HISTORY=<seed>` plays that history alone and prints what happened.
 */
import { byLength, IS_LONG, SEED } from '@mandate/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { playHistory } from './play-history.ts';
import { virtualGlobals } from './virtual-timers.ts';

vi.mock('node:timers/promises', () => import('./virtual-timers.ts'));

/** The number of histories. About 120 histories run per second on an idle core. */
const HISTORIES = byLength({ short: 300, full: 10_000, long: 100_000 });
/**
 * The time limit. A full run ends after two minutes on a slow machine. A short run has no such limit, because some of
 * MUST_HAPPEN is rare.
 */
const LONGEST_MS = byLength({
  short: Number.POSITIVE_INFINITY,
  full: 120_000,
  long: Number.POSITIVE_INFINITY,
});
const ONLY = process.env.SIMULATION_HISTORY;

/**
 * The events that must happen in at least one history. If one of them never happens, the simulation no longer tests
 * what it should.
 */
const MUST_HAPPEN = [
  'crash before the step',
  'crash between step and publish',
  'crash between publish and commit',
  'crash after the commit',
  'crash in a rebuild',
  'crash of a gateway at work',
  'crash elsewhere',
  'call failed',
  'answer lost',
  'call took effect after it had failed',
  'call of the dead took effect',
  'held up',
  'partition moved while its owner works',
  'member thrown out while it works',
  'read again from 0',
  'ledger lost',
  'ledger lost around a kill',
  'ledger lost around an outcome',
  'ledger lost behind an early outcome',
  'ledger restarted',
  'clock of the ledger behind',
  'clock jumped',
  'kill',
  'kill acknowledged',
  'revive',
  'unreadable record',
  'the same request again',
  'another payload under the same id',
  'another attempt',
  'outcome never came',
  'outcome came twice',
  'outcome came before its request',
  'record astray',
  'outcome on the log before its decision',
  'decided again after its outcome',
  'decided in a tenant that opened killed',
  'refused for want of room',
  'answers on the log twice',
  'answers void',
];

beforeAll(() => {
  vi.stubGlobal('setTimeout', virtualGlobals.setTimeout);
  vi.stubGlobal('clearTimeout', virtualGlobals.clearTimeout);
  // A plain property and not a spy. A spy stores every call and its result, and there are millions of calls.
  Object.defineProperty(performance, 'now', { value: virtualGlobals.performanceNow, configurable: true });
});

afterAll(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(performance, 'now');
});

if (ONLY === undefined) test(`${HISTORIES} histories (SEED=${SEED})`, { timeout: 0 }, playAll);
else test(`the history ${ONLY}`, () => playOne(Number(ONLY)));

async function playOne(seed: number): Promise<void> {
  const { told, faults } = await playHistory(seed, true);
  console.log(told.join('\n'));
  expect(faults).toEqual([]);
}

async function playAll(): Promise<void> {
  const counts = new Map(MUST_HAPPEN.map((what) => [what, 0]));
  const startedMs = Date.now();
  let [steps, count] = [0, 0];
  for (; count < HISTORIES && Date.now() - startedMs < LONGEST_MS; count += 1) {
    const seed = (SEED * 1_000_003 + count) >>> 0;
    const played = await playHistory(seed);
    expect(played.faults, `replay with SIMULATION_HISTORY=${seed}`).toEqual([]);
    for (const [what, times] of played.counts) counts.set(what, (counts.get(what) ?? 0) + times);
    steps += played.steps;
  }
  const seconds = (Date.now() - startedMs) / 1_000;
  console.log(`${count} histories, ${steps} steps; ${(count / seconds).toFixed(1)} histories a second`);
  console.log([...counts].map(([what, times]) => `${String(times).padStart(9)} ${what}`).join('\n'));
  expect(MUST_HAPPEN.filter((what) => counts.get(what) === 0)).toEqual([]);
  if (!IS_LONG) return;
  expect(counts.get('crash between step and publish')).toBeGreaterThanOrEqual(10_000);
  expect(counts.get('crash between publish and commit')).toBeGreaterThanOrEqual(10_000);
}
