/**
 * Tests that rollups (stored sums) always equal sums computed again from the base tables. Order, refreshes, the
 * number of recorders and the death of a recorder must change nothing.
 */
import { byLength } from '@mandate/testing';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import {
  arbitraryHistory,
  decisionOf,
  type History,
  recordedDecision,
  recordedSettlement,
  settlementOf,
} from '../arbitrary-history.ts';
import {
  type AuditClient,
  ask,
  dropMonths,
  markRecordedSince,
  oldMonths,
  recordDecisions,
  recordSettlements,
  refreshRollups,
  waitingHours,
} from '../index.ts';
import type { AnalyticsFilter, AnalyticsShape } from '../queries/analytics-source.ts';
import { fromRollups } from '../rollups/from-rollups.ts';
import { arbitraryFilter } from './arbitrary-filter.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';
import { expectSameSums, summedRows } from './expect-same-sums.ts';
import { mortal } from './mortal.ts';

const HOUR_MS = 3_600_000;

export function rollups(make: MakeAudit): void {
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  const expectSame = (asked: AnalyticsFilter, shape: AnalyticsShape) => expectSameSums(audit, asked, shape);

  type Delivery = { decisions: History['decisions']; settlements: History['settlements'] };

  /** Takes the first `many` deliveries of a history, in the order of the log. */
  function take({ decisions, settlements }: History, many: number): Delivery {
    const offsets = [...decisions, ...settlements]
      .map(({ position }) => position.offset)
      .sort((a, b) => a - b);
    const end = offsets[many - 1] ?? Number.POSITIVE_INFINITY;
    const taken = <R extends { position: { offset: number } }>(all: R[]) =>
      all.splice(0, all.filter(({ position }) => position.offset <= end).length);
    return { decisions: taken(decisions), settlements: taken(settlements) };
  }

  /** Records settlements before decisions, because this order is the hardest case. */
  async function record(client: AuditClient, { decisions, settlements }: Delivery): Promise<void> {
    if (settlements.length > 0) await recordSettlements(client, settlements);
    if (decisions.length > 0) await recordDecisions(client, decisions);
  }

  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ record: fc.integer({ min: 1, max: 20 }), beside: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        record: fc.integer({ min: 1, max: 20 }),
        dieAt: fc.nat(6),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        refresh: fc.constantFrom(1, 2),
        mostRows: fc.constantFrom(20, 1_000),
        dieAfter: fc.option(fc.nat(5)),
      }),
    },
  );

  const shape: fc.Arbitrary<AnalyticsShape> = fc.record(
    {
      dimensions: fc.uniqueArray(
        fc.constantFrom('agent', 'tool', 'model', 'role', 'code', 'mandate', 'principal'),
        {
          maxLength: 3,
        },
      ),
      cutMs: fc.constantFrom(HOUR_MS / 2, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS),
      decisionsOnly: fc.boolean(),
    },
    { requiredKeys: ['dimensions'] },
  );

  let runs = 0;

  test('equal the sums of the base tables at any moment', async () => {
    await fc.assert(
      fc.asyncProperty(
        // The history spans only a few hours, so most hours change again and again.
        arbitraryHistory(3 * HOUR_MS),
        fc.array(fc.tuple(step, arbitraryFilter, shape), { minLength: 6, maxLength: 10, size: 'max' }),
        async (historyOf, steps) => {
          runs += 1;
          const tenant = `rolled-${runs}`;
          const ahead = historyOf(tenant);
          // The next recorder gets all deliveries that the dead recorder had not finished.
          let again: Delivery[] = [];
          for (const [one, filter, asked] of steps) {
            if ('dieAt' in one) {
              const batch = take(ahead, one.record);
              again.push(batch);
              await record(mortal(audit, one.dieAt), batch).catch(() => {});
            } else if ('record' in one) {
              const refreshing = one.beside ? refreshRollups(audit, { quietMs: 0 }) : null;
              for (const batch of [...again, take(ahead, one.record)]) await record(audit, batch);
              again = [];
              await refreshing;
            } else {
              const client = one.dieAfter === null ? audit : mortal(audit, one.dieAfter);
              const refreshing = Array.from({ length: one.refresh }, () =>
                refreshRollups(client, { quietMs: 0, mostRows: one.mostRows }),
              );
              await Promise.allSettled(refreshing);
            }
            await expectSame({ tenant, ...filter }, asked);
          }
          for (const batch of [...again, ahead]) await record(audit, batch);
          await refreshRollups(audit, { quietMs: 0 });
          await expectSame({ tenant }, { dimensions: ['tool', 'model'], cutMs: 24 * HOUR_MS });
        },
      ),
      { numRuns: byLength({ short: 2, full: 5 }) },
    );
  });

  const NOW_MS = Date.UTC(2026, 4, 5, 12);
  const SHAPE: AnalyticsShape = { dimensions: ['tool', 'model', 'code'] };
  const refreshed = () => refreshRollups(audit, { quietMs: 0 });

  /**
   * Expects that the sums stay equal after the rows of the tenant are deleted, because all sums come from the
   * rollups.
   */
  async function expectKept(tenant: string): Promise<void> {
    await expectSame({ tenant }, SHAPE);
    const kept = await summedRows(audit, fromRollups, { tenant }, SHAPE);
    for (const table of ['decisions', 'settlements'])
      await audit.command(
        `ALTER TABLE ${table} DELETE WHERE tenant = '${tenant}' SETTINGS mutations_sync = 1`,
      );
    expect(await summedRows(audit, fromRollups, { tenant }, SHAPE)).toEqual(kept);
    expect(kept).not.toEqual([]);
  }

  test.each([
    ['an hour that is counted', true],
    ['an hour of which nothing is known', false],
  ])(
    'include rows in %s as soon as they are stored, even if their recorder died',
    async (name, isCounted) => {
      const tenant = name.replaceAll(' ', '-');
      const decision = (n: number) => recordedDecision(decisionOf(tenant, n, { appendedAtMs: NOW_MS }), n);
      if (isCounted) {
        await recordDecisions(audit, [decision(1)]);
        await refreshed();
      }
      for (const statements of [0, 1, 2]) {
        await expect(recordDecisions(mortal(audit, statements), [decision(2)])).rejects.toThrow('died');
        await expectSame({ tenant }, SHAPE);
      }
    },
  );

  test('are read for all hours that are already counted', async () => {
    const decision = decisionOf('kept', 1, { appendedAtMs: NOW_MS });
    await recordDecisions(audit, [recordedDecision(decision, 1)]);
    await recordSettlements(audit, [recordedSettlement(settlementOf(decision), 2)]);
    await refreshed();
    await expectKept('kept');
  });

  test('count a valid repeat of a void record as soon as it is stored, and count it once', async () => {
    const decision = decisionOf('repeated', 1, { appendedAtMs: NOW_MS });
    for (const [offset, isVoid] of [true, false, false].entries()) {
      await recordDecisions(audit, [recordedDecision(decision, offset, isVoid)]);
      await expectSame({ tenant: 'repeated' }, SHAPE);
      await refreshed();
      await expectSame({ tenant: 'repeated' }, SHAPE);
    }
  });

  test('give a settlement the tool of its decision as soon as the decision is recorded, even a week later', async () => {
    const decision = decisionOf('late', 1, { appendedAtMs: NOW_MS });
    const settledAt = new Date(NOW_MS + 7 * 24 * HOUR_MS).toISOString();
    await recordSettlements(audit, [recordedSettlement(settlementOf(decision, { settledAt }), 2)]);
    await refreshed();
    await expectSame({ tenant: 'late' }, SHAPE);
    await recordDecisions(audit, [recordedDecision(decision, 1)]);
    await expectSame({ tenant: 'late' }, SHAPE);
    await refreshed();
    await expectSame({ tenant: 'late' }, SHAPE);
  });

  test('leave out the decisions of a dropped month, but keep settlements of these decisions from later months', async () => {
    const asked = { tenant: 'dropped' };
    const decision = decisionOf('dropped', 1, { appendedAtMs: Date.UTC(2020, 0, 31, 23) });
    await recordDecisions(audit, [recordedDecision(decision, 1)]);
    const settledAt = '2020-02-01T01:00:00.000Z';
    await recordSettlements(audit, [recordedSettlement(settlementOf(decision, { settledAt }), 2)]);
    await refreshed();
    await dropMonths(audit, await oldMonths(audit, { keepMonths: 1, nowMs: Date.UTC(2020, 1) }));
    const left = await summedRows(audit, fromRollups, asked, SHAPE);
    expect(left).toMatchObject([{ calls: 0, settled: -10_000 }]);
    await expectSame(asked, SHAPE);
    await refreshed();
    await expectSame(asked, SHAPE);
  });

  test('return no row for an hour with settlements only, if amounts are not requested', async () => {
    const asked = { tenant: 'decisions-only' };
    const decision = decisionOf('decisions-only', 1, { appendedAtMs: NOW_MS });
    const settledAt = new Date(NOW_MS + 3 * HOUR_MS).toISOString();
    await recordDecisions(audit, [recordedDecision(decision, 1)]);
    await recordSettlements(audit, [recordedSettlement(settlementOf(decision, { settledAt }), 2)]);
    await refreshed();
    const shape: AnalyticsShape = { ...SHAPE, decisionsOnly: true };
    await expectSame(asked, shape);
    await expectSame({ ...asked, fromMs: NOW_MS + HOUR_MS }, shape);
    expect(await summedRows(audit, fromRollups, { ...asked, fromMs: NOW_MS + HOUR_MS }, shape)).toEqual([]);
  });

  test('contain nothing of a dropped month in an hour that is first counted during the drop', async () => {
    const asked = { tenant: 'dropped-meanwhile' };
    const decision = decisionOf(asked.tenant, 1, { appendedAtMs: Date.UTC(2020, 0, 31, 23) });
    await recordDecisions(audit, [recordedDecision(decision, 1)]);
    const settledAt = '2020-02-01T01:00:00.000Z';
    await recordSettlements(audit, [recordedSettlement(settlementOf(decision, { settledAt }), 2)]);
    // These sums are computed before the month is dropped, and are inserted only after the drop.
    await refreshed();
    const counted =
      'CREATE TABLE counted ENGINE = Memory AS SELECT * FROM rollup_sums WHERE tenant = {tenant:String}';
    await audit.command(counted, asked);
    const uncounted =
      'ALTER TABLE rollup_sums DELETE WHERE tenant = {tenant:String} SETTINGS mutations_sync = 1';
    await audit.command(uncounted, asked);
    await dropMonths(audit, await oldMonths(audit, { keepMonths: 1, nowMs: Date.UTC(2020, 1) }));
    await audit.command('INSERT INTO rollup_sums SELECT * FROM counted');
    await expectSame(asked, SHAPE);
    await refreshed();
    await expectSame(asked, SHAPE);
  });

  test('know which hours must still be counted, and skip hours that still change', async () => {
    await refreshed();
    expect(await ask(audit, waitingHours, {})).toMatchObject([{ hours: 0, sinceMs: 0 }]);
    await recordDecisions(audit, [recordedDecision(decisionOf('waits', 1, { appendedAtMs: NOW_MS }), 1)]);
    const [waiting] = await ask(audit, waitingHours, {});
    expect(waiting).toMatchObject({ hours: 1 });
    expect(waiting?.sinceMs).toBeGreaterThan(Date.UTC(2026, 0));
    expect(await refreshRollups(audit, { quietMs: 3_600_000 })).toEqual({ hours: 0, days: 0 });
    expect(await refreshed()).toEqual({ hours: 1, days: 1 });
    expect(await refreshed()).toEqual({ hours: 0, days: 0 });
  });

  test('count rows that were inserted without marks, after the recorder has looked for such rows', async () => {
    const [first, second] = [1, 2].map((index) => decisionOf('unmarked', index, { appendedAtMs: NOW_MS }));
    if (first === undefined || second === undefined) throw new Error('two were made');
    await recordDecisions(audit, [recordedDecision(first, 1)]);
    await refreshed();
    const unmarking = {
      ...audit,
      insert: (table: string, rows: readonly object[]) =>
        table === 'rollup_marks' ? Promise.resolve() : audit.insert(table, rows),
    };
    const recorded = recordedDecision(second, 2);
    await recordDecisions(unmarking, [recorded]);
    await markRecordedSince(audit, recorded.recordedAtMs);
    await expectSame({ tenant: 'unmarked' }, SHAPE);
    await refreshed();
    await expectKept('unmarked');
  });
}
