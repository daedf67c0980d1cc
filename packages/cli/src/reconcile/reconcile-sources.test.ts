import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { silentLogger } from '@mandate/runtime';
import { type DecisionsRecord, TOPICS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { reconcileSources } from './reconcile-sources.ts';

const begins = (id: string, generation: number): DecisionsRecord => ({
  event: 'ledger.epoch',
  epoch: { id, generation, previous: null, reason: 'test', at: '2026-01-01T00:00:00Z' },
});
/** Of two rebuilders, one of which was overtaken. */
const EPOCHS = [begins('ep-1', 7), begins('ep-0', 6)];

/** A log on which nothing was charged, and an audit that is ahead of it by the next of `aheadMicros` each time it is asked. */
async function reconciling(aheadMicros: readonly number[]) {
  const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log: silentLogger() });
  onTestFinished(() => bus.close());
  await bus.append(
    TOPICS.decisions,
    EPOCHS.map((epoch) => ({ key: null, partition: 0, value: JSON.stringify(epoch) })),
  );
  let asked = 0;
  const budget = { scope: 'agent', subject: 'bot', id: 'total', windowMs: null } as const;
  const report = await reconcileSources(
    {
      bus,
      ledger: { epoch: async () => 'ep-1', balances: async () => [] },
      audit: {
        balances: async (tenant) => [{ tenant, budget, spentMicros: aheadMicros[asked++] ?? 0 }],
        doubledActions: async () => [],
      },
    },
    ['default'],
  );
  return { asked, driftMicros: report.driftMicros };
}

test('an audit that is still moving is asked until it is there', async () => {
  expect(await reconciling([7, 5, 2, 0])).toEqual({ asked: 4, driftMicros: 0 });
});

test('a difference that stands still is drift', async () => {
  expect(await reconciling([7, 5, 5, 0])).toEqual({ asked: 3, driftMicros: 5 });
});
