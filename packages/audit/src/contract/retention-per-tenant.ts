/**
 * Tests retention per tenant. It drops the past months of a tenant from every table and from the sums. It drops
 * nothing of other tenants.
 */
import { type SdkRecord, TOPICS, topicOfTenant, wireTime } from '@mandate/schemas';
import { byLength } from '@mandate/testing';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  decisionOf,
  onLog,
  recordedDecision,
  recordedSettlement,
  settlementOf,
} from '../arbitrary-history.ts';
import {
  type AuditClient,
  ask,
  type ControlEvent,
  chargesByBudget,
  dropPastRows,
  type KeptBuild,
  ownerIfPast,
  pastRows,
  type RecordOf,
  type RetentionStartOf,
  recordAuditReads,
  recordContextBuilds,
  recordControlEvents,
  recordDeadLetters,
  recordDecisions,
  recordRepublications,
  recordSdkRecords,
  recordSettlements,
  refreshRollups,
  retentionStartMs,
  type TenantTableName,
  tenantRetentionStart,
} from '../index.ts';
import { TENANT_TABLE_NAMES } from '../retention/tenant-tables.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';
import { expectSameSums } from './expect-same-sums.ts';
import { mortal } from './mortal.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2020, 4);
const SHAPE = { dimensions: ['tool', 'code'] as const };

/** Times of rows: just before a month begins, exactly at its beginning, and within the month. */
const at = fc
  .tuple(fc.integer({ min: 0, max: 4 }), fc.constantFrom(-HOUR_MS, -1, 0, 1, 5 * 24 * HOUR_MS))
  .map(([month, offMs]) => Date.UTC(2020, month) + offMs);
const row = fc.record({
  tenant: fc.constantFrom('one', 'two', 'three'),
  table: fc.constantFrom(...TENANT_TABLE_NAMES),
  atMs: at,
  /** Milliseconds from the row's time until its decision was made and its cost was settled. */
  laterMs: fc.constantFrom(-2, 5, 2 * HOUR_MS, 40 * 24 * HOUR_MS),
  times: fc.constantFrom(1, 1, 2),
});
type Row = Omit<typeof row extends fc.Arbitrary<infer T> ? T : never, 'tenant'> & { tenant: string };

export function retentionPerTenant(make: MakeAudit): void {
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  type Recording = { [Table in TenantTableName]: { record: RecordOf<Table> } & ReturnType<typeof onLog> };
  type AnyRecord = { [Table in TenantTableName]: { table: Table; one: Recording[Table] } }[TenantTableName];

  const LAND: { [Table in TenantTableName]: (batch: Recording[Table][]) => Promise<unknown> } = {
    decisions: (batch) => recordDecisions(audit, batch),
    settlements: (batch) => recordSettlements(audit, batch),
    control_events: (batch) => recordControlEvents(audit, batch),
    dead_letters: (batch) => recordDeadLetters(audit, batch),
    republications: (batch) => recordRepublications(audit, batch),
    audit_reads: (batch) => recordAuditReads(audit, batch),
    sdk_records: (batch) => recordSdkRecords(audit, batch),
    context_builds: (batch) => recordContextBuilds(audit, batch),
  };

  /** Returns the record of a row as the log could contain it. A decision comes with its settlement. */
  function recordsOf({ tenant, table, atMs, laterMs }: Row, n: number): AnyRecord[] {
    const when = wireTime(atMs);
    const source = { topic: topicOfTenant(tenant), partition: 0, offset: n };
    const place = onLog({}, n);
    switch (table) {
      case 'decisions':
      case 'settlements': {
        const decision = decisionOf(tenant, n, { appendedAtMs: atMs, delayMs: laterMs });
        const settlement = settlementOf(decision, { settledAt: wireTime(atMs + Math.max(laterMs, 0)) });
        return [
          { table: 'decisions', one: recordedDecision(decision, n) },
          { table: 'settlements', one: recordedSettlement(settlement, n) },
        ];
      }
      case 'control_events':
        return [{ table, one: { record: adjusted(tenant, n, when), ...place } }];
      case 'dead_letters': {
        const fault = {
          code: 'INVALID_ACTION',
          reason: '',
          remedy: '',
          pointer: '',
          line: 1,
          column: 1,
        } as const;
        const bytes = { key: null, valueBase64: '', truncated: false, bytes: 0 };
        const record = { id: `dlq_${tenant}_${n}`, source, fault, ...bytes, appendedAt: when, at: when };
        return [{ table, one: { record, ...place } }];
      }
      case 'republications': {
        const letter = {
          letterId: `dlq_${n}`,
          source,
          appendedAt: wireTime(0),
          corrected: false,
          answerIds: [],
        };
        const record = { id: `rep_${tenant}_${n}`, by: 'ops', reason: '', at: when, tenant: null, ...letter };
        return [{ table, one: { record, ...place } }];
      }
      case 'audit_reads': {
        const asked = {
          method: 'GET',
          route: '/',
          parameters: {},
          refused: false,
          requestId: 'r',
          traceId: null,
        };
        const record = { id: `read_${n}`, tenant, key: { id: 'k', name: 'k' }, at: when, ...asked };
        return [{ table, one: { record, ...place } }];
      }
      case 'sdk_records': {
        const decision = decisionOf(tenant, n, { appendedAtMs: atMs });
        const record = { event: 'sdk.decided', decidedBy: { keyId: 'k' }, decision } as const;
        return [{ table, one: { record, ...place } }];
      }
      case 'context_builds':
        return [{ table, one: { record: contextBuildOf(tenant, n, when), ...place } }];
    }
  }

  function adjusted(tenant: string, n: number, when: string): ControlEvent {
    const budget = { scope: 'agent', subject: 'a-1', id: 'total', windowMs: null } as const;
    const made = { id: `adj-${n}`, by: 'ops', reason: 'r', at: when, ledgerEpoch: 'e', ledgerSequence: 1 };
    return {
      event: 'budget.adjusted',
      adjustment: { ...made, tenant, budget, deltaMicros: -5, spentMicros: 0 },
    };
  }

  function contextBuildOf(tenant: string, n: number, when: string): KeptBuild {
    const step = {
      enabled: true,
      skipped: true,
      skip_reason: 'clarification_turn',
      template_key: 't',
    } as const;
    const none = { input: null, output: null, latency_ms: null, prompt_debug: null, error: null };
    const about = { tenant, agentId: 'context-builder', requestId: `r_${n}`, actionId: null };
    return {
      event: 'context.built',
      reportedBy: { keyId: 'k' },
      build: {
        ...about,
        ...{ id: `ctx_${n}`, parentActionId: null, principal: null, builtAt: when },
        steps: { manifest_builder: { ...step, ...none } },
      },
      keptUntilMs: Date.UTC(2090, 0),
    };
  }

  async function land(records: readonly AnyRecord[]): Promise<void> {
    for (const [table, batch] of Map.groupBy(records, (record) => record.table)) {
      // Each function accepts the records of one table only. TypeScript cannot infer this from the union type.
      const landing = LAND[table] as (batch: AnyRecord['one'][]) => Promise<unknown>;
      await landing(batch.map(({ one }) => one));
    }
  }

  const idOf = ({ one: { record } }: AnyRecord) => ('event' in record ? idOfEvent(record) : record.id);
  const idOfEvent = (record: ControlEvent | SdkRecord | KeptBuild) => {
    if (record.event === 'context.built') return record.build.id;
    if (record.event === 'sdk.decided') return record.decision.id;
    return record.event === 'budget.adjusted' ? record.adjustment.id : '';
  };
  const isKept = ({ table, one }: AnyRecord, keptFrom: RetentionStartOf) =>
    ownerIfPast(table, one.record as RecordOf<typeof table>, keptFrom) === null;

  /** Returns the table and the id of each row of these tenants. */
  async function held(tenants: readonly string[]): Promise<string[]> {
    const found = await audit.query(
      `SELECT * FROM (${TENANT_TABLE_NAMES.map(
        (table) =>
          `SELECT '${table}' AS table, id FROM ${table} FINAL WHERE ${
            table === 'dead_letters' || table === 'republications'
              ? 'source_topic IN {topics:Array(String)}'
              : 'tenant IN {tenants:Array(String)}'
          }`,
      ).join(' UNION ALL ')})`,
      { tenants, topics: tenants.map(topicOfTenant) },
      z.object({ table: z.string(), id: z.string() }),
    );
    return found.map(({ table, id }) => `${table} ${id}`).sort();
  }
  const named = (records: readonly AnyRecord[]) =>
    [...new Set(records.map((record) => `${record.table} ${idOf(record)}`))].sort();

  let runs = 0;

  test('drops only the past of a tenant, even if records arrive late or a process dies halfway', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, {
          ...byLength({ short: { minLength: 6, maxLength: 12 }, full: { minLength: 12, maxLength: 24 } }),
          size: 'max',
        }),
        fc.array(row, { maxLength: 4 }),
        fc.record({ one: fc.option(fc.integer({ min: 1, max: 4 })), two: fc.integer({ min: 1, max: 4 }) }),
        fc.constantFrom(-1, 0),
        fc.nat(30),
        fc.boolean(),
        async (rows, late, months, offMs, diesAfter, countsBefore) => {
          runs += 1;
          const nowMs = NOW_MS + offMs;
          const own = (tenant: string) => `${tenant}-${runs}`;
          const tenants = ['one', 'two', 'three'].map(own);
          const keepMonths = new Map([
            [own('one'), months.one],
            [own('two'), months.two],
          ]);
          const keptFrom: RetentionStartOf = (owner) => {
            const kept = keepMonths.get(owner) ?? null;
            return kept === null ? null : retentionStartMs(kept, nowMs);
          };
          const all = rows.flatMap((one, n) =>
            Array.from({ length: one.times }, () => recordsOf({ ...one, tenant: own(one.tenant) }, n)).flat(),
          );
          await land(all);
          if (countsBefore) await refreshRollups(audit, { quietMs: 0 });

          const options = { keptFrom, nowMs };
          await dropPastRows(mortal(audit, diesAfter), options).catch(() => {});
          await expectSameSums(audit, { tenant: own('one') }, SHAPE);
          await dropPastRows(audit, options);
          expect(await held(tenants)).toEqual(named(all.filter((record) => isKept(record, keptFrom))));
          expect(await pastRows(audit, options)).toEqual([]);

          const lateRecords = late.flatMap((one, n) =>
            recordsOf({ ...one, tenant: own(one.tenant) }, 100 + n),
          );
          await land(lateRecords);
          await dropPastRows(audit, options);
          const left = [...all, ...lateRecords].filter((record) => isKept(record, keptFrom));
          expect(await held(tenants)).toEqual(named(left));
          await refreshRollups(audit, { quietMs: 0 });
          for (const tenant of tenants) await expectSameSums(audit, { tenant }, SHAPE);
          expect(await pastRows(audit, options)).toEqual([]);
        },
      ),
      // Each run takes seconds. Shrinking a counterexample would take minutes.
      { numRuns: 1, endOnFailure: true },
    );
  });

  const JANUARY = Date.UTC(2020, 0, 31, 23);
  const FEBRUARY = '2020-02-01T01:00:00.000Z';
  const upTo =
    (tenant: string, fromMs = Date.UTC(2020, 1)): RetentionStartOf =>
    (owner) =>
      owner === tenant ? fromMs : null;

  /** Records a decision of January and its settlement of February. */
  async function recordJanuary(tenant: string): Promise<void> {
    const decision = decisionOf(tenant, 1, { appendedAtMs: JANUARY });
    await recordDecisions(audit, [recordedDecision(decision, 1)]);
    await recordSettlements(audit, [recordedSettlement(settlementOf(decision, { settledAt: FEBRUARY }), 2)]);
  }

  test('drops the past from all sums, including sums that are not read any more', async () => {
    await recordJanuary('summed');
    await recordJanuary('beside');
    await refreshRollups(audit, { quietMs: 0 });
    // Columns of the rows that an older recorder wrote.
    const columns = 'tenant, hours, hour, touches, unmatched, reaches_back_to';
    await audit.command(`INSERT INTO rollups (${columns}) SELECT ${columns} FROM rollup_sums`);
    await dropPastRows(audit, { keptFrom: upTo('summed'), nowMs: NOW_MS });
    const reaching = () =>
      audit.query(
        'SELECT tenant, count() AS rows FROM (SELECT tenant, reaches_back_to FROM rollup_sums UNION ALL SELECT tenant, reaches_back_to FROM rollups) WHERE tenant IN {tenants:Array(String)} AND reaches_back_to = 202001 GROUP BY tenant',
        { tenants: ['summed', 'beside'] },
        z.object({ tenant: z.string(), rows: z.int() }),
      );
    expect(await reaching()).toEqual([{ tenant: 'beside', rows: 8 }]);
    await refreshRollups(audit, { quietMs: 0 });
    expect(await reaching()).toEqual([{ tenant: 'beside', rows: 8 }]);
    await expectSameSums(audit, { tenant: 'summed' }, SHAPE);
  });

  type Known = 'what was marked then' | 'every mark';

  /**
   * Computes the sums of the tenant just before its rows are dropped. Returns a function that inserts these sums
   * later.
   */
  async function countedMeanwhile(tenant: string): Promise<(knowing: Known) => Promise<void>> {
    await recordJanuary(tenant);
    await refreshRollups(audit, { quietMs: 0 });
    const name = `counted_${tenant}`;
    const counting: AuditClient = {
      ...audit,
      async command(sql, params) {
        if (sql.startsWith('ALTER TABLE decisions')) {
          await refreshRollups(audit, { quietMs: 0 });
          await audit.command(
            `CREATE TABLE ${name} ENGINE = Memory AS SELECT * FROM rollup_sums FINAL WHERE tenant = {tenant:String} AND hours = 1`,
            { tenant },
          );
        }
        await audit.command(sql, params);
      },
    };
    await dropPastRows(counting, { keptFrom: upTo(tenant), nowMs: NOW_MS });
    return async (knowing) => {
      const marks = await audit.query(
        'SELECT hour, sum(touches) AS touched FROM rollup_marks WHERE tenant = {tenant:String} GROUP BY hour',
        { tenant },
        z.object({ hour: z.int(), touched: z.int() }),
      );
      const hours = marks.map(({ hour }) => hour);
      const touched = marks.map((mark) => mark.touched);
      const known = {
        'what was marked then': 'touches',
        'every mark': 'transform(hour, {hours:Array(UInt32)}, {touched:Array(UInt64)}, touches)',
      }[knowing];
      await audit.command(`INSERT INTO rollup_sums SELECT * REPLACE (${known} AS touches) FROM ${name}`, {
        hours,
        touched,
      });
    };
  }

  test('ignores sums that were computed before rows were dropped and inserted afterwards', async () => {
    const land = await countedMeanwhile('meanwhile');
    await land('what was marked then');
    await expectSameSums(audit, { tenant: 'meanwhile' }, SHAPE);
  });

  test('clears sums that became readable because a process died before it could clear them', async () => {
    const tenant = 'unsaid';
    const land = await countedMeanwhile(tenant);
    await land('every mark');
    const options = { keptFrom: upTo(tenant), nowMs: NOW_MS };
    expect(await pastRows(audit, options)).toMatchObject([{ table: 'rollup_sums', month: '202001' }]);
    await dropPastRows(audit, options);
    await expectSameSums(audit, { tenant }, SHAPE);
    expect(await pastRows(audit, options)).toEqual([]);
  });

  test('reports what it found before it drops anything, and reports each part when it is gone', async () => {
    await recordJanuary('told');
    const told: string[] = [];
    await dropPastRows(audit, {
      keptFrom: upTo('told', Date.UTC(2020, 2)),
      nowMs: NOW_MS,
      onFound: (found) => told.push(...found.map(({ month, table, rows }) => `${month} ${table} ${rows}`)),
      onGone: (gone) => told.push(...gone.map(({ month, table }) => `gone ${month} ${table}`)),
    });
    expect(told).toEqual([
      '202001 decisions 1',
      '202002 settlements 1',
      'gone 202001 decisions',
      'gone 202002 settlements',
    ]);
  });

  test('records the retention start before it drops a row, and never moves it back', async () => {
    await recordJanuary('noted');
    expect(await tenantRetentionStart(audit, 'noted')).toBeNull();
    // This client fails at its first command, before any row is dropped. It remembers the recorded retention start.
    let noted: number | null = null;
    const dying: AuditClient = {
      ...audit,
      command: async () => {
        noted = await tenantRetentionStart(audit, 'noted');
        throw new Error('died');
      },
    };
    const options = { keptFrom: upTo('noted', Date.UTC(2020, 2)), nowMs: NOW_MS };
    await expect(dropPastRows(dying, options)).rejects.toThrow('died');
    expect(noted).toBe(Date.UTC(2020, 2));
    await dropPastRows(audit, { keptFrom: upTo('noted'), nowMs: NOW_MS });
    expect(await tenantRetentionStart(audit, 'noted')).toBe(Date.UTC(2020, 2));
    expect(await tenantRetentionStart(audit, 'beside')).toBeNull();
  });

  test('sums budgets from the retention start on, with the same result before and after rows are dropped', async () => {
    const tenant = 'reconciled';
    await recordJanuary(tenant);
    const february = decisionOf(tenant, 2, { appendedAtMs: Date.UTC(2020, 1, 2), chargedMicros: 7 });
    await recordDecisions(audit, [recordedDecision(february, 3)]);
    for (const [n, when] of ['2020-01-31T23:59:59.999Z', '2020-02-01T00:00:00.000Z'].entries())
      await recordControlEvents(audit, [{ record: adjusted(tenant, n, when), ...onLog({}, 4 + n) }]);
    const sums = () => ask(audit, chargesByBudget, { tenant, retentionStartMs: Date.UTC(2020, 1) });
    const before = await sums();
    expect(before).toMatchObject([{ chargedMicros: 7, settledMicros: 0, adjustedMicros: -5 }]);
    await dropPastRows(audit, { keptFrom: upTo(tenant), nowMs: NOW_MS });
    expect(await sums()).toEqual(before);
  });

  test('keeps rows that concern every tenant, and applies the rule for `*` to rows without a tenant', async () => {
    const epoch = { id: 'ep-1', previous: null, reason: '', at: wireTime(JANUARY) };
    await recordControlEvents(audit, [{ record: { event: 'ledger.epoch', epoch }, ...onLog({}, 1) }]);
    const [letter] = recordsOf(
      { tenant: 'x', table: 'dead_letters', atMs: JANUARY, laterMs: 5, times: 1 },
      1,
    );
    if (letter?.table !== 'dead_letters') throw new Error('it makes one');
    const source = { topic: TOPICS.actions, partition: 0, offset: 1 };
    await recordDeadLetters(audit, [
      letter.one,
      { ...letter.one, record: { ...letter.one.record, id: 'dlq_shared', source } },
    ]);
    const [read] = recordsOf({ tenant: 'x', table: 'audit_reads', atMs: JANUARY, laterMs: 5, times: 1 }, 2);
    if (read?.table !== 'audit_reads') throw new Error('it makes one');
    const nobodys = { ...read.one.record, id: 'read_nobodys', tenant: null, key: null };
    await recordAuditReads(audit, [read.one, { ...read.one, record: nobodys }]);
    const ids = () =>
      audit.query(
        "SELECT id FROM dead_letters WHERE id IN ('dlq_x_1', 'dlq_shared') UNION ALL SELECT id FROM audit_reads WHERE tenant IN ('x', '') UNION ALL SELECT id FROM control_events WHERE event = 'ledger.epoch'",
        {},
        z.object({ id: z.string() }),
      );
    const asked: string[] = [];
    const anybody: RetentionStartOf = (owner) => {
      asked.push(owner);
      return owner === '*' ? Date.UTC(2020, 1) : null;
    };
    await dropPastRows(audit, { keptFrom: anybody, nowMs: NOW_MS });
    expect((await ids()).map(({ id }) => id).sort()).toEqual(['dlq_x_1', 'ep-1', 'read_2']);
    expect(asked).not.toContain('');
    expect(await tenantRetentionStart(audit, 'x')).toBeNull();
  });
}
