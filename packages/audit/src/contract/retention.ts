/** Tests which rows are dropped with old months, and which rows are kept. */
import { TOPICS } from '@mandate/schemas';
import { beforeAll, expect, test } from 'vitest';
import {
  decisionOf,
  onLog,
  readOf,
  recordedDecision,
  recordedSettlement,
  settlementOf,
} from '../arbitrary-history.ts';
import {
  type AuditClient,
  ask,
  dropMonths,
  epochBefore,
  type Month,
  oldMonths,
  quarantine,
  recordAuditReads,
  recordControlEvents,
  recordDeadLetters,
  recordDecisions,
  recordedByPartition,
  recordSettlements,
  searchControlEvents,
  searchDeadLetters,
  searchDecisions,
  searchReads,
  searchSettlements,
} from '../index.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';

const MONTHS = [Date.UTC(2026, 0, 31, 23, 59, 59, 999), Date.UTC(2026, 1), Date.UTC(2026, 2, 15)];

export function retention(make: MakeAudit): void {
  // All tests use the same rows. The tests that drop rows come last, and each of them drops more.
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    for (const [n, appendedAtMs] of MONTHS.entries()) await recordAll(n, appendedAtMs);
    return tables.end;
  });

  /** Records one record of each kind, as if the log had received them at this time. */
  async function recordAll(n: number, appendedAtMs: number): Promise<void> {
    const at = new Date(appendedAtMs).toISOString();
    const decision = decisionOf('acme', n, { appendedAtMs });
    await recordDecisions(audit, [recordedDecision(decision, n)]);
    await recordSettlements(audit, [recordedSettlement(settlementOf(decision, { settledAt: at }), n)]);
    const fault = {
      code: 'INVALID_ACTION',
      reason: '',
      remedy: '',
      pointer: '',
      line: 1,
      column: 1,
    } as const;
    const deadLetter = {
      id: `dlq_${n}`,
      source: { topic: TOPICS.actions, partition: 0, offset: n },
      key: null,
      fault,
      valueBase64: '',
      truncated: false,
      bytes: 0,
      appendedAt: at,
      at,
    };
    await recordDeadLetters(audit, [{ record: deadLetter, ...onLog({}, n) }]);
    await recordAuditReads(audit, [{ record: readOf('acme', n, { at }), ...onLog({}, n) }]);
    const epoch = { id: `ep-${n}`, previous: null, reason: '', at };
    await recordControlEvents(audit, [{ record: { event: 'ledger.epoch', epoch }, ...onLog({}, n) }]);
    await quarantine(audit, [{ ...onLog({}, n), meantFor: '', reason: '' }]);
  }

  async function held() {
    return {
      decisions: (await ask(audit, searchDecisions, { tenant: 'acme' })).length,
      settlements: (await ask(audit, searchSettlements, { tenant: 'acme' })).length,
      deadLetters: (await ask(audit, searchDeadLetters, {})).length,
      reads: (await ask(audit, searchReads, { tenant: 'acme' })).length,
      controlEvents: (await ask(audit, searchControlEvents, { tenant: 'acme' })).length,
      quarantined: (await ask(audit, recordedByPartition, {})).find(({ table }) => table === 'quarantine')
        ?.rows,
    };
  }
  const ALL = { decisions: 3, settlements: 3, deadLetters: 3, reads: 3, controlEvents: 3, quarantined: 3 };

  /** Drops everything before the newest months, as `mandate audit prune` does. */
  async function prune(keepMonths: number, nowMs: number): Promise<readonly Month[]> {
    const months = await oldMonths(audit, { keepMonths, nowMs });
    await dropMonths(audit, months);
    return months;
  }

  test('counts months across the turn of a year', async () => {
    expect(await oldMonths(audit, { keepMonths: 13, nowMs: Date.UTC(2027, 0) })).toEqual([]);
    expect(await oldMonths(audit, { keepMonths: 12, nowMs: Date.UTC(2027, 0) })).toHaveLength(4);
  });

  test('drops nothing if it is only asked which months are old', async () => {
    expect(await oldMonths(audit, { keepMonths: 1, nowMs: Date.UTC(2030, 0) })).toHaveLength(12);
    expect(await held()).toEqual(ALL);
  });

  test.each([0, -1, Number.NaN])('rejects %j months', async (keepMonths) => {
    await expect(prune(keepMonths, Date.UTC(2030, 0))).rejects.toThrow(RangeError);
    expect(await held()).toEqual(ALL);
  });

  test('drops a month only after enough newer months have begun', async () => {
    const marchBegins = Date.UTC(2026, 2);
    expect(await prune(2, marchBegins - 1)).toEqual([]);
    expect(await held()).toEqual(ALL);
    expect(await prune(2, marchBegins)).toEqual(
      ['audit_reads', 'dead_letters', 'decisions', 'settlements'].map((table) => ({
        table,
        month: '202601',
        rows: 1,
      })),
    );
    expect(await held()).toEqual({ ...ALL, decisions: 2, settlements: 2, deadLetters: 2, reads: 2 });
    expect(await prune(2, marchBegins)).toEqual([]);
  });

  test('keeps the acts of operators, the epochs and the quarantine in every case', async () => {
    await prune(1, Date.UTC(2030, 0));
    expect(await held()).toEqual({ ...ALL, decisions: 0, settlements: 0, deadLetters: 0, reads: 0 });
    const place = { topic: TOPICS.decisions, partition: 0, offset: 3 };
    expect(await ask(audit, epochBefore, place)).toMatchObject([{ ledgerEpoch: 'ep-2' }]);
  });
}
