import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import type { Balance } from '@mandate/ledger';
import { silentLogger } from '@mandate/runtime';
import { type DecisionsRecord, TOPICS } from '@mandate/schemas';
import { temporaryFolder } from '@mandate/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  BUDGET as budget,
  FEBRUARY,
  LOG,
  OF_ALL,
  OF_KEPT,
  rowsOfLog,
} from './before-and-after-february.fixture.ts';
import { reconcileSources } from './reconcile-sources.ts';

const begins = (id: string, generation: number): DecisionsRecord => ({
  event: 'ledger.epoch',
  epoch: { id, generation, previous: null, reason: 'test', at: '2026-01-01T00:00:00Z' },
});
/** The epochs of two processes that rebuilt a ledger. The second has a lower generation, so the first overtook it. */
const EPOCHS = [begins('ep-1', 7), begins('ep-0', 6)];

/**
 * Reconciles a log without charges. Each time the audit is asked, it is ahead of the log by the next number in
 * `aheadMicros`.
 */
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
        keptFrom: async () => null,
        balances: async (tenant) => [{ tenant, budget, spent: aheadMicros[asked++] ?? 0 }],
        rows: async function* () {},
        doubledActions: async () => [],
      },
    },
    ['default'],
  );
  return { asked, driftMicros: report.driftMicros };
}

test('asks a changing audit again until it agrees with the log', async () => {
  expect(await reconciling([7, 5, 2, 0])).toEqual({ asked: 4, driftMicros: 0 });
});

test('reports a difference that does not change as drift', async () => {
  expect(await reconciling([7, 5, 5, 0])).toEqual({ asked: 3, driftMicros: 5 });
});

describe('after the audit has dropped everything before February', () => {
  async function report(
    audit: { retentionStartMs: number | null; spentMicros: number },
    ledgerMicros = OF_ALL,
  ) {
    const bus = await createSqliteBus({ path: join(temporaryFolder(), 'log.sqlite'), log: silentLogger() });
    onTestFinished(() => bus.close());
    const values = LOG.map((record) => ({ key: null, partition: 0, value: JSON.stringify(record) }));
    await bus.append(TOPICS.decisions, values);
    const balance = (spent: number): Balance => ({ tenant: 'acme', budget, spent });
    const asked: (number | null)[] = [];
    const { driftMicros, differences } = await reconcileSources(
      {
        bus,
        ledger: { epoch: async () => 'ep-1', balances: async () => [balance(ledgerMicros)] },
        audit: {
          keptFrom: async () => audit.retentionStartMs,
          balances: async (_tenant, retentionStartMs) => {
            asked.push(retentionStartMs);
            return [balance(audit.spentMicros)];
          },
          rows: (_tenant, table) => rowsOfLog(table),
          doubledActions: async () => [],
        },
      },
      ['acme'],
    );
    return { driftMicros, differences, asked };
  }

  test('the dropped rows are not reported as drift', async () => {
    const { driftMicros, asked } = await report({ retentionStartMs: FEBRUARY, spentMicros: OF_KEPT });
    expect({ driftMicros, asked }).toEqual({ driftMicros: 0, asked: [FEBRUARY] });
  });

  test('rows that are missing in the kept months are drift', async () => {
    const { driftMicros, differences } = await report({ retentionStartMs: FEBRUARY, spentMicros: 0 });
    expect(driftMicros).toBe(OF_KEPT);
    expect(differences).toMatchObject([{ log: OF_ALL, kept: OF_KEPT, audit: 0 }]);
  });

  test('the ledger must contain the charges of all months on the log', async () => {
    const { driftMicros } = await report({ retentionStartMs: FEBRUARY, spentMicros: OF_KEPT }, OF_KEPT);
    expect(driftMicros).toBe(OF_ALL - OF_KEPT);
  });

  test('rows that are missing without a recorded retention are drift', async () => {
    const { driftMicros } = await report({ retentionStartMs: null, spentMicros: OF_KEPT });
    expect(driftMicros).toBe(OF_ALL - OF_KEPT);
  });
});
