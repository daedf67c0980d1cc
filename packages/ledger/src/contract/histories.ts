/** Tests random histories: a store must give the same answers and end in the same state as the model. */
import { manualClock } from '@mandate/runtime';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Ledger } from '../port.ts';
import { arbitraryHistory, REPLAY_MEMORY_MS } from './arbitrary-history.ts';
import type { MakeLedger } from './bench.ts';
import { createDriver, type Driver, type Played, play, questionsOf, viewOf } from './drive.ts';
import type { History } from './history-command.ts';
import { createModelLedger } from './model/model.ts';

export type HistoryRuns = { numRuns: number; maxLength: number };

/** Tests one caller. Every answer and the final state must equal the model's. */
export function sequentialHistories(make: MakeLedger, { numRuns, maxLength }: HistoryRuns): void {
  test('gives the same answers as the model for any history, and ends in the same state', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryHistory(maxLength), async (history) => {
        const bench = await make({ replayMemoryMs: REPLAY_MEMORY_MS });
        const store = createDriver(bench.ledger, bench.clock, history.plans);
        const model = modelOf(bench.ledger.epoch, bench.clock(), history);
        for (const command of history.commands) {
          expect(await play(store, command)).toEqual(await play(model, command));
        }
        const questions = questionsOf(store);
        expect(await viewOf(store.ledger, questions)).toEqual(await viewOf(model.ledger, questions));
        await bench.ledger.close();
      }),
      { numRuns },
    );
  });
}

const FULL = { maxRemembered: 6, keptUnremembered: 3 };

/**
 * Tests histories of tenants that reach their limit of remembered deliveries. The histories are short, so no delivery
 * is forgotten. Otherwise the answers could differ, because stores forget at different times.
 */
export function fullHistories(make: MakeLedger, { numRuns, maxLength }: HistoryRuns): void {
  test('answers a tenant at its limit as the model does', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryHistory(maxLength).map(withinMemory), async (history) => {
        const { keptUnremembered } = FULL;
        const bench = await make({ replayMemoryMs: REPLAY_MEMORY_MS, keptUnremembered });
        const store = createDriver(bench.ledger, bench.clock, history.plans, FULL);
        const model = modelOf(bench.ledger.epoch, bench.clock(), history, FULL);
        for (const command of history.commands) {
          expect(await play(store, command)).toEqual(await play(model, command));
        }
        expect(await viewOf(store.ledger)).toEqual(await viewOf(model.ledger));
        await bench.ledger.close();
      }),
      { numRuns },
    );
  });
}

function withinMemory({ plans, commands }: History): History {
  let passedMs = 0;
  return {
    plans,
    commands: commands.filter((command) => {
      if (command.do !== 'pass') return true;
      if (passedMs + Math.abs(command.ms) >= REPLAY_MEMORY_MS) return false;
      passedMs += Math.abs(command.ms);
      return true;
    }),
  };
}

/**
 * Tests several callers at once. Two callers send the same deliveries, as when a partition moves to another member.
 * The sequences show the order in which the store decided. The model must give the same answers in that order.
 */
export function concurrentHistories(make: MakeLedger, { numRuns, maxLength }: HistoryRuns): void {
  const histories = fc.tuple(arbitraryHistory(maxLength), arbitraryHistory(maxLength));
  const pauses = fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 12 });

  test('answers concurrent callers as if they called one by one, in the order of the sequences', async () => {
    await fc.assert(
      fc.asyncProperty(histories, pauses, async ([one, other], turns) => {
        const bench = await make({ replayMemoryMs: REPLAY_MEMORY_MS });
        const { ledger, clock } = bench;
        const startMs = clock();
        const callers = [
          { history: one, driver: createDriver(ledger, clock, one.plans, { topic: 'topic-one' }) },
          { history: one, driver: createDriver(ledger, clock, one.plans, { topic: 'topic-one' }) },
          { history: other, driver: createDriver(ledger, clock, other.plans, { topic: 'topic-other' }) },
        ];
        const played = await Promise.all(
          callers.map(({ history, driver }, at) => playSlowly(driver, history, turns.slice(at))),
        );
        const { again, first } = bySequence(played.flat());
        expect(new Set(first.map(sequenceOf)).size).toBe(first.length);

        const model = modelOf(ledger.epoch, startMs, one);
        for (const { operation, result } of first) {
          const [answer] = await model.ledger.step([operation]);
          expect(result).toEqual(answer);
        }
        for (const { operation, result } of again) {
          const [answer] = await model.ledger.step([operation]);
          expect(result).toEqual(answer);
        }
        expect(await viewOf(ledger)).toEqual(await viewOf(model.ledger));
        await ledger.close();
      }),
      { numRuns },
    );
  });
}

type Step = Extract<Played, { did: 'step' }>;

function modelOf(
  epoch: string,
  startMs: number,
  history: History,
  room: { maxRemembered?: number; keptUnremembered?: number } = {},
): Driver {
  const clock = manualClock(startMs);
  const { maxRemembered, keptUnremembered } = room;
  const kept = keptUnremembered === undefined ? {} : { keptUnremembered };
  const ledger: Ledger = createModelLedger({ clock, epoch, replayMemoryMs: REPLAY_MEMORY_MS, ...kept });
  return createDriver(ledger, clock, history.plans, maxRemembered === undefined ? {} : { maxRemembered });
}

/**
 * Runs only the steps of one tenant, while the clock stands still. So the sequence numbers in the answers show the
 * order of the steps.
 */
async function playSlowly(driver: Driver, { commands }: History, turns: readonly number[]): Promise<Step[]> {
  const steps: Step[] = [];
  let at = 0;
  for (const command of commands) {
    if (command.do !== 'step') continue;
    for (let left = turns[at++ % Math.max(1, turns.length)] ?? 0; left > 0; left -= 1)
      await Promise.resolve();
    const operations = command.operations.map((operation) =>
      'tenant' in operation ? { ...operation, tenant: 'acme' } : operation,
    );
    const played = await play(driver, { do: 'step', operations });
    for (const each of played) if (each.did === 'step' && each.result.kind !== 'replan') steps.push(each);
  }
  return steps;
}

function bySequence(steps: readonly Step[]): { first: Step[]; again: Step[] } {
  const redelivered = ({ result }: Step) => 'redelivered' in result && result.redelivered;
  const first = steps.filter((step) => !redelivered(step));
  return { first: first.sort((a, b) => sequenceOf(a) - sequenceOf(b)), again: steps.filter(redelivered) };
}

function sequenceOf({ result }: Step): number {
  return 'facts' in result ? result.facts.sequence : 0;
}
