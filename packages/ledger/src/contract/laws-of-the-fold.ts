/** Laws for random histories: the fold of the log equals the running ledger. */
import { manualClock } from '@mandate/runtime';
import type { DecisionsRecord } from '@mandate/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFold, type Fold, foldRecord } from '../fold/fold.ts';
import { createMemoryLedger, type MemoryLedger } from '../memory/memory-ledger.ts';
import type { FoldInput } from '../port.ts';
import { readSnapshot } from '../snapshot/read-snapshot.ts';
import { writeSnapshot } from '../snapshot/write-snapshot.ts';
import { arbitraryHistory, REPLAY_MEMORY_MS } from './arbitrary-history.ts';
import { createDriver, type Driver, loseSome, type Played, play, playBatch, viewOf } from './drive.ts';
import type { History } from './history-command.ts';
import { type Keyed, recordsOf } from './records.ts';
import { stateOf } from './state-of.ts';

const EPOCH = 'epoch-1';
const PARTITIONS = 3;

type Live = { ledger: MemoryLedger; driver: Driver; played: Played[] };

type Room = { maxRemembered?: number; keptUnremembered?: number };

async function live({ plans, commands }: History, room: Room = {}): Promise<Live> {
  const clock = manualClock(1_000);
  const { keptUnremembered = 10_000 } = room;
  const options = { clock, epoch: EPOCH, replayMemoryMs: REPLAY_MEMORY_MS, keptUnremembered };
  const ledger = createMemoryLedger(options);
  const driver = createDriver(ledger, clock, plans, room);
  const played: Played[] = [];
  for (const command of commands) played.push(...(await play(driver, command)));
  return { ledger, driver, played };
}

/** Confirms all operations, as if all of them were on the log now. */
async function rest({ ledger, driver }: Pick<Live, 'ledger' | 'driver'>): Promise<void> {
  await ledger.confirm(EPOCH, driver.sent);
}

/** Distributes the records over partitions. All records of a key are in one partition, in order. */
function logOf(records: readonly Keyed[]): DecisionsRecord[][] {
  const partitions: DecisionsRecord[][] = Array.from({ length: PARTITIONS }, () => []);
  for (const { key, record } of records) {
    const number = [...key].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % PARTITIONS;
    partitions[number]?.push(record);
  }
  return partitions;
}

/**
 * Returns the same log after a rebuild. Every partition also has a new epoch, a late epoch of another rebuild, and
 * records from deciders of the old epoch.
 */
function rebuiltBehind(
  log: readonly DecisionsRecord[][],
  late: readonly DecisionsRecord[][],
): DecisionsRecord[][] {
  const begun = (id: string, generation: number): DecisionsRecord => {
    const replayMemoryMs = REPLAY_MEMORY_MS;
    const epoch = {
      ...{ id, generation, previous: EPOCH, replayMemoryMs },
      ...{ reason: 'rebuilt', at: '2026-01-01T00:00:00.000Z' },
    };
    return { event: 'ledger.epoch', epoch };
  };
  return log.map((records, partition) => [
    ...records,
    begun('epoch-3', 3),
    begun('epoch-2', 2),
    ...(late[partition] ?? []).filter(
      ({ event }) => event === 'action.decided' || event === 'action.settled',
    ),
  ]);
}

/**
 * Merges the partitions. Each partition keeps its order. `turns`, repeated as needed, says which partition comes
 * next.
 */
function interleave(log: readonly DecisionsRecord[][], turns: readonly number[]): FoldInput[] {
  const next = log.map(() => 0);
  const inputs: FoldInput[] = [];
  const total = log.reduce((sum, records) => sum + records.length, 0);
  for (let at = 0; inputs.length < total; at += 1) {
    const wanted = turns[at % turns.length] ?? 0;
    for (let tried = 0; tried < log.length; tried += 1) {
      const partition = (wanted + tried) % log.length;
      const offset = next[partition] ?? 0;
      const record = log[partition]?.[offset];
      if (record === undefined) continue;
      next[partition] = offset + 1;
      inputs.push({ source: { partition, offset }, record: structuredClone(record) });
      break;
    }
  }
  return inputs;
}

function fold(
  inputs: readonly FoldInput[],
  onto: Fold = createFold({ replayMemoryMs: REPLAY_MEMORY_MS }),
): Fold {
  for (const input of inputs) foldRecord(onto, input);
  return onto;
}

function foldWithRoom({ keptUnremembered }: { keptUnremembered: number }): Fold {
  const folded = createFold({ replayMemoryMs: REPLAY_MEMORY_MS });
  folded.state.room = { ...folded.state.room, keptUnremembered };
  return folded;
}

const turns = fc.array(fc.nat({ max: PARTITIONS - 1 }), { minLength: 1, maxLength: 20 });
const history = arbitraryHistory(40);

/** @param numRuns the number of histories for each law */
export function lawsOfTheFold(numRuns: number): void {
  const runs = { numRuns };
  test('the fold of the published records equals the running ledger after all confirmations, for any order of partitions', async () => {
    await fc.assert(
      fc.asyncProperty(history, turns, async (commands, order) => {
        const { ledger, driver, played } = await live(commands);
        await rest({ ledger, driver });
        const folded = fold(interleave(logOf(recordsOf(played, EPOCH)), order));
        expect(stateOf(folded.state, driver.latestMs)).toEqual(stateOf(ledger.state(), driver.latestMs));
      }),
      runs,
    );
  });

  test('the fold equals the running ledger even if tenants are at their limit of remembered deliveries', async () => {
    const room = { maxRemembered: 6, keptUnremembered: 3 };
    await fc.assert(
      fc.asyncProperty(history, turns, fc.nat(), async (commands, order, cut) => {
        const { ledger, driver, played } = await live(commands, room);
        await rest({ ledger, driver });
        const inputs = interleave(logOf(recordsOf(played, EPOCH)), order);
        const head = fold(inputs.slice(0, cut % (inputs.length + 1)), foldWithRoom(room));
        const restored = await readSnapshot([...writeSnapshot(head)]);
        restored.state.room = head.state.room;
        const atRest = stateOf(ledger.state(), driver.latestMs);
        expect(stateOf(fold(inputs, head).state, driver.latestMs)).toEqual(atRest);
        expect(stateOf(fold(inputs, restored).state, driver.latestMs)).toEqual(atRest);
      }),
      runs,
    );
  });

  test('records that the log contains twice change nothing', async () => {
    await fc.assert(
      fc.asyncProperty(history, turns, fc.infiniteStream(fc.boolean()), async (commands, order, twice) => {
        const { driver, played } = await live(commands);
        const once = recordsOf(played, EPOCH);
        const repeats: Keyed[] = [];
        const doubled = once.flatMap((each) => {
          const late = repeats.splice(0, twice.next().value === true ? repeats.length : 0);
          if (twice.next().value === true) repeats.push(each);
          return [...late, each];
        });
        const atMs = driver.latestMs;
        expect(stateOf(fold(interleave(logOf([...doubled, ...repeats]), order)).state, atMs)).toEqual(
          stateOf(fold(interleave(logOf(once), [0])).state, atMs),
        );
      }),
      runs,
    );
  });

  test('records from deciders of an old epoch are void after a new epoch begins', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, turns, async (before, zombies, order) => {
        const { driver, played } = await live(before);
        const { driver: other, played: late } = await live(zombies);
        const log = logOf(recordsOf(played, EPOCH));
        const whole = rebuiltBehind(log, logOf(recordsOf(late, EPOCH)));
        const atMs = Math.max(driver.latestMs, other.latestMs);
        const withoutSequences = (lines: string[]) => lines.filter((line) => !line.startsWith('["tenant"'));
        expect(withoutSequences(stateOf(fold(interleave(whole, order)).state, atMs))).toEqual(
          withoutSequences(stateOf(fold(interleave(log, [0])).state, atMs)),
        );
      }),
      runs,
    );
  });

  test('a snapshot plus the later records equals the whole log, wherever an epoch begins', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, turns, fc.nat(), async (before, zombies, order, cut) => {
        const { driver, played } = await live(before);
        const { driver: other, played: late } = await live(zombies);
        const log = rebuiltBehind(logOf(recordsOf(played, EPOCH)), logOf(recordsOf(late, EPOCH)));
        const inputs = interleave(log, order);
        const head = fold(inputs.slice(0, cut % (inputs.length + 1)));
        const restored = await readSnapshot([...writeSnapshot(head)]);
        // Both folds get all records, because a fold skips known records by position.
        const whole = fold(inputs);
        const atMs = Math.max(driver.latestMs, other.latestMs);
        expect(stateOf(fold(inputs, restored).state, atMs)).toEqual(stateOf(whole.state, atMs));
        expect(restored.positions).toEqual(whole.positions);
        expect(restored.epochs).toEqual(whole.epochs);
      }),
      runs,
    );
  });

  test('a folded ledger continues like a ledger that never stopped', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, turns, async (before, after, order) => {
        const { ledger, driver, played } = await live(before);
        await rest({ ledger, driver });
        const folded = fold(interleave(logOf(recordsOf(played, EPOCH)), order));
        const clock = manualClock(driver.latestMs);
        driver.clock.set(driver.latestMs);
        const restarted = createMemoryLedger({ clock, epoch: EPOCH, state: folded.state });
        const again: Driver = { ...driver, ledger: restarted, clock, sent: [...driver.sent] };
        for (const command of after.commands) {
          expect(await play(again, command)).toEqual(await play(driver, command));
        }
        expect(await viewOf(restarted)).toEqual(await viewOf(ledger));
      }),
      runs,
    );
  });

  test('lost decisions are decided again, and their settlements on the log still count', async () => {
    await fc.assert(
      fc.asyncProperty(history, history, turns, fc.infiniteStream(fc.boolean()), async (...drawn) => {
        const [before, after, order, isLost] = drawn;
        const { driver, played } = await live(before);
        const { kept, again } = loseSome(played, isLost);
        const log = recordsOf(kept, EPOCH);
        const clock = manualClock(driver.latestMs);
        const { state } = fold(interleave(logOf(log), order));
        const ledger = createMemoryLedger({ clock, epoch: 'epoch-2', state });
        const anew: Driver = { ...driver, ledger, clock, sent: [...driver.sent] };
        const played2 = await playBatch(ledger, again);
        for (const command of after.commands) played2.push(...(await play(anew, command)));
        await ledger.confirm('epoch-2', anew.sent);
        const whole = interleave(logOf([...log, ...recordsOf(played2, 'epoch-2')]), order);
        expect(stateOf(ledger.state(), anew.latestMs)).toEqual(stateOf(fold(whole).state, anew.latestMs));
      }),
      runs,
    );
  });
}
