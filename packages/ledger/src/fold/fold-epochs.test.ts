/** Tests which decisions a fold includes, depending on the epochs around them. */
import { arbitraryEpochHistory, type EpochStep, isOvertaken, recordOf, standing } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFold, type Fold, foldRecord, highestGeneration, nextReplayMemory } from './fold.ts';

function foldOf(steps: readonly EpochStep[], partition = 0): Fold {
  const fold = createFold();
  steps.forEach((step, offset) => {
    foldRecord(fold, { source: { partition, offset }, record: recordOf(step, offset) });
  });
  return fold;
}

/** Returns the offsets of the decisions in the fold. */
function taken({ state }: Fold): number[] {
  return state.forgetting.items.map(({ offset }) => offset);
}

test('includes exactly the decisions that are valid for every reader', () => {
  fc.assert(
    fc.property(arbitraryEpochHistory, (steps) => {
      const stand = standing(steps);
      expect(taken(foldOf(steps))).toEqual([...stand.keys()].filter((at) => stand[at]));
    }),
  );
});

test('does not change through a record of an overtaken epoch', () => {
  fc.assert(
    fc.property(arbitraryEpochHistory, (steps) => {
      const fold = createFold();
      steps.forEach((step, offset) => {
        if (isOvertaken(steps, offset)) return;
        foldRecord(fold, { source: { partition: 0, offset }, record: recordOf(step, offset) });
      });
      const whole = foldOf(steps);
      expect(taken(whole)).toEqual(taken(fold));
      expect(whole.epochs).toEqual(fold.epochs);
    }),
  );
});

test('finds the highest generation in all partitions', () => {
  const fold = foldOf([{ begins: { id: 'a', generation: 7 } }]);
  const other: EpochStep = { begins: { id: 'b', generation: 5 } };
  foldRecord(fold, { source: { partition: 1, offset: 0 }, record: recordOf(other, 0) });
  expect(highestGeneration(fold)).toBe(7);
  expect(highestGeneration(createFold())).toBe(0);
});

test('keeps the replay memory of the first epoch, in the log and in a snapshot, unless a later epoch has a longer one', () => {
  const fold = createFold();
  const begin = (offset: number, generation: number, replayMemoryMs?: number) => {
    const epoch = {
      id: `e${offset}`,
      generation,
      previous: null,
      replayMemoryMs,
      reason: '',
      at: '2026-01-01T00:00:00Z',
    };
    foldRecord(fold, { source: { partition: 0, offset }, record: { event: 'ledger.epoch', epoch } });
    return fold.state.replayMemoryMs;
  };
  expect([begin(0, 7, 60_000), begin(1, 8), begin(2, 9, 1_000), begin(3, 10, 90_000)]).toEqual([
    60_000, 60_000, 60_000, 90_000,
  ]);
  const read = createFold({ replayMemoryMs: 90_000 });
  for (const [partition, epoch] of fold.epochs) read.epochs.set(partition, epoch);
  expect([nextReplayMemory(read, {}), nextReplayMemory(read, { replayMemoryMs: 1_000 })]).toEqual([
    90_000, 90_000,
  ]);
});
