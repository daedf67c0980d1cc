import { join } from 'node:path';
import { type Bus, createSqliteBus } from '@mandate/bus';
import type { Ledger } from '@mandate/ledger';
import { MandateError, silentLogger } from '@mandate/runtime';
import { type DecisionsRecord, TOPICS } from '@mandate/schemas';
import {
  arbitraryEpochHistory,
  type EpochStep,
  standing,
  temporaryFolder,
  waitUntil,
} from '@mandate/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { decided, sourceAt } from './decided.fixture.ts';
import { followDecisions } from './follow-decisions.ts';
import { PendingReplies } from './pending-replies.ts';

const notReady = () =>
  new MandateError('LEDGER_UNAVAILABLE', 'rebuilding', { remedy: 'wait', retryable: true });

/** Returns a ledger that is ready from the start, or after `becomesReady`. */
function ledgerOf(epoch: string, ready = true, generation = 0) {
  let looks = 0;
  return {
    ledger: {
      epoch,
      generation,
      async ping() {
        looks += 1;
        if (!ready) throw notReady();
      },
    },
    becomesReady: () => {
      ready = true;
    },
    looks: () => looks,
  };
}

/** @param partitions how many partitions the topic has at the start; the log gets more later */
async function scene(ledger: Pick<Ledger, 'epoch' | 'generation' | 'ping'> | null, partitions?: number) {
  const whole = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log: silentLogger() });
  onTestFinished(() => whole.close());
  const bus: Bus = { ...whole, ranges: async (topic) => (await whole.ranges(topic)).slice(0, partitions) };
  const replies = new PendingReplies({ maxWaiting: 1, maxRecent: 100, maxRecentBytes: 1_000_000 });
  const append = (partition: number, ...records: DecisionsRecord[]) =>
    bus.append(
      TOPICS.decisions,
      records.map((record) => ({ key: null, partition, value: JSON.stringify(record) })),
    );
  await append(0, decided(0, { ledgerEpoch: 'ep-1' }));
  const following = await followDecisions({
    bus,
    replies,
    refused: { allowed() {}, refused() {} },
    undecided: { decided() {} },
    ledger,
  });
  return { append, replies, following };
}

const begins = (id: string, generation?: number): DecisionsRecord => ({
  event: 'ledger.epoch',
  epoch: {
    id,
    ...(generation === undefined ? {} : { generation }),
    previous: null,
    reason: 'test',
    at: '2026-01-01T00:00:00Z',
  },
});

test('after the record of a new epoch, decisions of another epoch are void, in each partition separately', async () => {
  const { append, replies, following } = await scene(ledgerOf('ep-1').ledger);
  await append(
    0,
    decided(1, { ledgerEpoch: 'ep-1' }),
    begins('ep-2'),
    decided(2, { ledgerEpoch: 'ep-1' }),
    decided(3, { ledgerEpoch: 'ep-2' }),
  );
  await append(1, decided(4, { ledgerEpoch: 'ep-0' }), decided(5, { ledgerEpoch: 'ep-1' }));
  await waitUntil('the last of both', () => replies.recent.of(sourceAt(3)) && replies.recent.of(sourceAt(5)));
  const seen = [0, 1, 2, 3, 4, 5].filter((offset) => replies.recent.of(sourceAt(offset)) !== null);
  expect(seen).toEqual([1, 3, 5]);
  await following.stop();
  await following.finished;
});

test('a partition that was added later has the newest epoch of the other partitions', async () => {
  const { append, replies } = await scene(ledgerOf('ep-1', true, 1).ledger, 2);
  await append(
    0,
    decided(1, { ledgerEpoch: 'ep-1' }),
    begins('ep-2', 2),
    decided(2, { ledgerEpoch: 'ep-2' }),
  );
  await waitUntil('the new epoch', () => replies.recent.of(sourceAt(2)));
  await append(5, decided(3, { ledgerEpoch: 'ep-1' }), decided(4, { ledgerEpoch: 'ep-2' }));
  await append(1, decided(5, { ledgerEpoch: 'ep-1' }));
  await waitUntil('the last of each', () => replies.recent.of(sourceAt(4)) && replies.recent.of(sourceAt(5)));
  expect(replies.recent.of(sourceAt(3))).toBe(null);
});

test('if no ledger is given, all decisions are valid until the log names an epoch', async () => {
  const { append, replies } = await scene(null);
  await append(
    0,
    decided(1, { ledgerEpoch: 'ep-7' }),
    begins('ep-8'),
    decided(2, { ledgerEpoch: 'ep-7' }),
    decided(3, { ledgerEpoch: 'ep-8' }),
  );
  await waitUntil('the last', () => replies.recent.of(sourceAt(3)));
  expect([1, 2].map((offset) => replies.recent.of(sourceAt(offset)) !== null)).toEqual([true, false]);
});

test('passes on no decision while the ledger is rebuilt, and then no void decision', async () => {
  const { ledger, becomesReady, looks } = ledgerOf('ep-2', false);
  const { append, replies } = await scene(ledger);
  // A slow decider appends this decision late. The decision is void, because its epoch ended with a record that is
  // earlier on the log than the first record read here.
  await append(0, decided(1, { ledgerEpoch: 'ep-1' }));
  await waitUntil('several looks at the ledger', () => looks() > 2);
  expect(replies.recent.of(sourceAt(1))).toBe(null);
  becomesReady();
  await append(0, decided(2, { ledgerEpoch: 'ep-2' }));
  await waitUntil('what the new epoch decided', () => replies.recent.of(sourceAt(2)));
  expect(replies.recent.of(sourceAt(1))).toBe(null);
});

test.each([
  ['an event that it does not know', { event: 'decisions.regrouped', regrouping: { by: 'a newer decider' } }],
  ['no event', 'not ours'],
])('fails on %s, because it could change the meaning of later records', async (_, record) => {
  const { append, replies, following } = await scene(ledgerOf('ep-1').ledger);
  await append(0, record as unknown as DecisionsRecord, decided(2, { ledgerEpoch: 'ep-1' }));
  await expect(following.finished).rejects.toMatchObject({
    code: 'LOG_UNREADABLE',
    message: expect.stringContaining(`${TOPICS.decisions}/0/1`),
  });
  expect(replies.recent.of(sourceAt(2))).toBe(null);
});

test('ignores an unknown field, because newer deciders may add fields', async () => {
  const { append, replies } = await scene(ledgerOf('ep-1').ledger);
  const { decision } = decided(1, { ledgerEpoch: 'ep-1' });
  const more = { event: 'action.decided', decision: { ...decision, mood: 'good' } } as DecisionsRecord;
  await append(0, more);
  await waitUntil('the decision', () => replies.recent.of(sourceAt(1)));
});

test("a late record of a rebuild that is older than the ledger's own rebuild makes no decision void", async () => {
  const { append, replies } = await scene(ledgerOf('ep-2', true, 7).ledger);
  await append(
    0,
    begins('ep-1', 6),
    decided(1, { ledgerEpoch: 'ep-2' }),
    begins('ep-3', 8),
    decided(2, { ledgerEpoch: 'ep-2' }),
    decided(3, { ledgerEpoch: 'ep-3' }),
  );
  await waitUntil('the last', () => replies.recent.of(sourceAt(3)));
  expect([1, 2].map((offset) => replies.recent.of(sourceAt(offset)) !== null)).toEqual([true, false]);
});

test('passes on the same decisions as every other reader', async () => {
  const recordOf = (step: EpochStep, at: number) =>
    'begins' in step
      ? begins(step.begins.id, step.begins.generation)
      : decided(at, { ledgerEpoch: step.madeIn });
  await fc.assert(
    fc.asyncProperty(arbitraryEpochHistory, async (steps) => {
      const { append, replies, following } = await scene(null);
      const last = steps.length;
      await append(0, ...steps.map(recordOf), begins('end', 100), decided(last, { ledgerEpoch: 'end' }));
      await waitUntil('the last', () => replies.recent.of(sourceAt(last)));
      await following.stop();
      const shown = steps.map((_, at) => replies.recent.of(sourceAt(at)) !== null);
      expect(shown).toEqual(standing(steps));
    }),
    { numRuns: 30 },
  );
});

test('can be stopped while the ledger is away', async () => {
  const { following } = await scene(ledgerOf('ep-1', false).ledger);
  await following.stop();
  await following.finished;
});
