/** Tests the law of offsets with committed offsets on a real log. */
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { type DeadLetter, GROUPS, TOPICS, wireTime } from '@mandate/schemas';
import { buildDecision, temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createAnswers } from './answers.ts';
import { Findings } from './law.ts';
import { createMemory } from './memory.ts';
import { checkOffsets, committedPositions, createLetters } from './offsets.ts';

const NOW_MS = Date.UTC(2026, 2);

/**
 * Returns the findings about four requests, the first two of which are decided. The deciders have committed the first
 * `committed` requests.
 */
async function checked(committed: number, letter?: { offset: number; lastOffset?: number }) {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log: silentLogger() });
  onTestFinished(() => bus.close());
  const requests = ['0', '1', '2', '3'].map((value) => ({ key: null, partition: 0, value }));
  await bus.append(TOPICS.actions, requests);
  if (committed > 0) {
    const consumer = await bus.consume({
      group: GROUPS.decider,
      topics: [TOPICS.actions],
      from: 'earliest',
      onBatch: (batch) => batch.commit(committed),
    });
    const isThere = ({ nextOffset }: { nextOffset: number }) => nextOffset === committed;
    await waitUntil('the commit', async () => (await committedPositions(bus)).some(isThere));
    await consumer.stop();
  }
  const answers = createAnswers(new Findings('one-decision'), createMemory());
  for (const n of [0, 1]) {
    const position = { topic: TOPICS.decisions, partition: 0, offset: n };
    answers.takes({ log: { position, appendedAtMs: NOW_MS } }, buildDecision(n, { appendedAtMs: NOW_MS }));
  }
  const letters = createLetters();
  if (letter !== undefined) letters.takes(deadLetter(letter));
  const findings = new Findings('offsets');
  const { open } = await checkOffsets(bus, await committedPositions(bus), { answers, letters, findings });
  return { open, ...findings.report() };
}

function deadLetter({ offset, ...rest }: { offset: number; lastOffset?: number }): DeadLetter['deadLetter'] {
  return {
    ...{ id: 'dlq_1', key: null, valueBase64: '', truncated: false, bytes: 0, ...rest },
    source: { topic: TOPICS.actions, partition: 0, offset },
    fault: { code: 'INVALID_ACTION', reason: '', remedy: '', pointer: '', line: 1, column: 1 },
    appendedAt: wireTime(NOW_MS),
    at: wireTime(NOW_MS),
  };
}

test('a waiting request is open, and a committed request without an answer is lost', async () => {
  expect(await checked(2)).toMatchObject({ open: 2, checked: 2, broken: 0 });
  expect(await checked(3)).toMatchObject({
    open: 1,
    checked: 3,
    broken: 1,
    breaches: [{ at: `${TOPICS.actions}/0/2` }],
  });
});

test('a dead letter answers each record of its batch', async () => {
  expect(await checked(4, { offset: 2 })).toMatchObject({ open: 0, broken: 1 });
  expect(await checked(4, { offset: 2, lastOffset: 3 })).toMatchObject({
    open: 0,
    checked: 4,
    broken: 0,
  });
});
