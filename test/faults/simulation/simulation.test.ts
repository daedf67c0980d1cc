/**
 * A plane in virtual time, as FoundationDB and TigerBeetle test theirs: deciders, gateway, log and ledger in one process,
 * where a seeded scheduler owns every call of a port (scheduler.ts). Each history is a function of its seed. What runs is
 * the real code: the decider from consumer to commit, plan and decide, the memory ledger, rebuild and restore with their
 * snapshots, the fold, the gateway's kill and revive and its journal. What agents and operators do, and which faults
 * fall, is drawn (workload.ts); at the end nothing fails any more, and what must hold is told from the log (checker.ts).
 *
 *   what may go wrong   a process dies before or after any call takes effect, and another life follows. A call fails,
 *                       takes effect and its answer is lost, is held up for longer than a session or a lease, or takes
 *                       effect long after its caller was told that it failed, or is dead. Records of an agent lie in
 *                       several partitions. A partition moves while its owner works on; a member that lives is thrown
 *                       out; the topic is read again from 0. The ledger is lost, or restarted and no longer believed, at
 *                       any moment, that of its rebuild too, and as an outcome has overtaken its decision. The clock
 *                       jumps; those of the processes differ, and that of the server in the place of a lost one is up
 *                       to 50 s behind or ahead.
 *   what is memory      the log (memory-log.ts keeps the contract of the bus), the file of the snapshot, and the registry
 *                       around the shared ledger (shared-ledger.ts), where a call of Redis is carried out all at once.
 *   what is not here    the scripts of Redis, the protocol of Kafka, HTTP, SQLite, ClickHouse and with it the recorder:
 *                       those are run for real, and killed for real, in the tests beside this folder. Sealing, redaction,
 *                       tracing, approvals, adjustments. Deliveries that come after the replay memory of a day.
 *
 * `npm test` plays 1,200 histories, a full run 10,000 or two minutes of them, and the long form 100,000. `SEED` draws others
 * (`npm run test:faults`). A failure names the seed of its history, and `SIMULATION_HISTORY=<that>` plays it alone and prints what happened.
 */
import { byLength, IS_LONG, SEED } from '@mandate/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { playHistory } from './play-history.ts';
import { virtualGlobals } from './virtual-timers.ts';

vi.mock('node:timers/promises', () => import('./virtual-timers.ts'));

/** About 120 a second on a core of its own. */
const HISTORIES = byLength({ short: 1_200, full: 10_000, long: 100_000 });
/** A full run ends after two minutes on a slow machine. A short run plays all of its few, or something might not happen. */
const LONGEST_MS = byLength({
  short: Number.POSITIVE_INFINITY,
  full: 120_000,
  long: Number.POSITIVE_INFINITY,
});
const ONLY = process.env.SIMULATION_HISTORY;

/** Without these the simulation would have stopped to test what it is for. */
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
  'decided anew behind its outcome',
  'decided in a tenant that opened killed',
  'refused for want of room',
  'answers on the log twice',
  'answers void',
];

beforeAll(() => {
  vi.stubGlobal('setTimeout', virtualGlobals.setTimeout);
  vi.stubGlobal('clearTimeout', virtualGlobals.clearTimeout);
  // No spy: that keeps every call and its result, of which there are millions.
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
