/** Tests what the recorder records and drops if a tenant has a retention period. */
import { setTimeout as pause } from 'node:timers/promises';
import { tenantRetentionStart } from '@mandate/audit';
import { TOPICS, topicOfTenant, wireTime } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deadLetterOf, decided, readByKey, republished, START_MS, settled } from '../support/log-records.ts';
import { metric, type RecorderScene, TABLES, until } from '../support/recorder-scene.ts';

export function tenantsKeep(scene: RecorderScene): void {
  describe('with a retention period', () => {
    const january = (n: number) => wireTime(START_MS + n);
    const february = (n: number) => wireTime(Date.UTC(2026, 1, 10) + n);
    /** The rows of the tenant acme are kept for one month. So in March, its rows of January have expired. */
    const keepMonths = (tenant: string) => (tenant === 'acme' ? 1 : null);
    const inMarch = () => Date.UTC(2026, 2);

    /**
     * Appends one record of each kind for January and for February, for a tenant with a retention period and a tenant
     * without. Returns the rows that must exist in March, and the rows that must not.
     */
    async function appendOfBoth(): Promise<{ kept: string[]; past: string[] }> {
      const [kept, past]: [string[], string[]] = [[], []];
      for (const tenant of ['acme', 'globex']) {
        for (const at of [january, february]) {
          const [n = 0] = scene.fresh(1);
          const decision = decided(n, { tenant, appendedAt: at(n), decidedAt: at(n) });
          const settlement = settled(n, { tenant, settledAt: at(n) });
          const budget = { scope: 'tenant', subject: '', id: 'team', windowMs: null } as const;
          const made = {
            id: `adj-${n}`,
            by: 'ops',
            reason: '',
            at: at(n),
            ledgerEpoch: 'ep-1',
            ledgerSequence: n,
          };
          await scene.recording.append([
            decision,
            settlement,
            {
              event: 'budget.adjusted',
              adjustment: { ...made, tenant, budget, deltaMicros: 1, spentMicros: 0 },
            },
          ]);
          const { deadLetter } = deadLetterOf(n, topicOfTenant(tenant));
          const letter = { ...deadLetter, appendedAt: at(n) };
          const again = republished(`rep-${n}`, letter, { tenant, answerIds: [] });
          await scene.recording.bus.append(
            TOPICS.deadLetters,
            [
              { event: 'dead.letter', deadLetter: letter },
              { ...again, republication: { ...again.republication, at: at(n) } },
            ].map((record) => ({ key: null, value: JSON.stringify(record) })),
          );
          const read = readByKey(n, tenant);
          const value = JSON.stringify({ ...read, read: { ...read.read, at: at(n) } });
          await scene.recording.bus.append(TOPICS.access, [{ key: null, value }]);
          const rows = [
            `decisions ${decision.decision.id}`,
            `settlements ${settlement.settlement.id}`,
            `control_events adj-${n}`,
            `dead_letters ${letter.id}`,
            `republications rep-${n}`,
            `audit_reads ${read.read.id}`,
          ];
          (tenant === 'acme' && at === january ? past : kept).push(...rows);
        }
      }
      return { kept: kept.sort(), past: past.sort() };
    }

    async function rowsHeld(): Promise<string[]> {
      const tables = TABLES.filter((table) => !/rollup|kept_from|quarantine/.test(table));
      const rows = await scene.audit.query(
        tables
          .map(
            (table) => `SELECT '${table}' AS table, id FROM ${table} FINAL WHERE NOT startsWith(id, 'ep-')`,
          )
          .join(' UNION ALL '),
        {},
        z.object({ table: z.string(), id: z.string() }),
      );
      return rows.map(({ table, id }) => `${table} ${id}`).sort();
    }

    test('a recorder that fills empty tables skips expired records, and records the start of the retained period', async () => {
      const { kept, past } = await appendOfBoth();
      const recorder = await scene.recording.record({ keepMonths, clock: inMarch });
      await recorder.caughtUp();
      expect(await rowsHeld()).toEqual(kept);
      expect(await metric(recorder, 'mandate_recorder_past_records_total')).toBe(past.length);
      expect(await tenantRetentionStart(scene.audit, 'acme')).toBe(Date.UTC(2026, 1));
      expect(await tenantRetentionStart(scene.audit, 'globex')).toBeNull();
      await recorder.stop();
    });

    test('a recorder drops nothing if its clock is ahead of ClickHouse’s clock', async () => {
      const { kept, past } = await appendOfBoth();
      const recorder = await scene.recording.record({
        // The recorder's clock is wrong, and ClickHouse's clock is right. By ClickHouse's clock, these records must
        // be kept until 2035.
        keepMonths: () => 12 * 9,
        clock: () => Date.UTC(2126, 0),
        dropping: { firstAfterMs: 0, everyMs: 5 },
      });
      await recorder.caughtUp();
      await pause(200);
      expect(await rowsHeld()).toEqual([...kept, ...past].sort());
      expect(await metric(recorder, 'mandate_recorder_past_records_total')).toBe(0);
      expect(await tenantRetentionStart(scene.audit, 'acme')).toBeNull();
      await recorder.stop();
    });

    test('a running recorder drops records when they expire', async () => {
      const { kept, past } = await appendOfBoth();
      const almost = await scene.recording.record({ keepMonths, clock: () => inMarch() - 1 });
      await almost.caughtUp();
      await almost.stop();
      expect(await rowsHeld()).toEqual([...kept, ...past].sort());

      const lines: string[] = [];
      const destination = { write: (line: string) => void lines.push(line) };
      const recorder = await scene.recording.record({
        keepMonths,
        clock: inMarch,
        log: createLogger({ name: 'recorder', destination }),
        dropping: { firstAfterMs: 0, everyMs: 5 },
      });
      const told = () => lines.find((line) => line.includes('dropped what is past'));
      await until(() => told() !== undefined);
      expect(JSON.parse(told() ?? '')).toMatchObject({
        tenant: 'acme',
        months: ['202601'],
        rows: past.length,
      });
      expect(await metric(recorder, 'mandate_recorder_dropped_rows_total')).toBe(past.length);
      expect(await metric(recorder, 'mandate_recorder_past_rows')).toBe(0);
      const [n = 0] = scene.fresh(1);
      const record = decided(n, { appendedAt: february(n), decidedAt: february(n) });
      await scene.recording.append([record]);
      await recorder.caughtUp();
      expect(await rowsHeld()).toEqual([...kept, `decisions ${record.decision.id}`].sort());
      await recorder.stop();
    });
  });
}
