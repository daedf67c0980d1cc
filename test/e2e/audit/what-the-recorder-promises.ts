/** What the recorder promises, on a real log and real tables. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AuditClient,
  ask,
  chargesByAgent,
  decisionById,
  recordControlEvents,
  recordDecisions,
  recordedByPartition,
  republicationsOf,
  searchControlEvents,
  searchDeadLetters,
  searchReads,
  searchSettlements,
  tenantKeptFrom,
} from '@mandate/audit';
import { type DecisionsRecord, TOPICS, topicOfTenant, wireTime } from '@mandate/schemas';
import { createLogger } from '@mandate/server';
import { arbitraryEpochHistory, type EpochStep, standing } from '@mandate/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  deadLetterOf,
  decided,
  epochBegan,
  killed,
  readByKey,
  republished,
  ruleRemoved,
  START_MS,
  settled,
} from './log-records.ts';
import { everyDecision, type OpenTables, openRecording, type Recording } from './recording.ts';

export function recorderPromises(open: OpenTables): void {
  const TABLES = [
    'rollup_marks',
    'rollup_sums',
    'decisions',
    'settlements',
    'control_events',
    'dead_letters',
    'republications',
    'audit_reads',
    'quarantine',
    'kept_from',
  ];

  let recording: Recording;
  let audit: AuditClient;
  /** Ids never repeat from test to test, although the log goes on. */
  let serial = 0;
  const fresh = (count: number) => Array.from({ length: count }, () => serial++);

  beforeAll(async () => {
    recording = await openRecording(undefined, open);
    ({ audit } = recording);
  });
  beforeEach(async () => {
    for (const table of TABLES) await audit.command(`TRUNCATE TABLE ${table}`);
    for (const partition of [0, 1]) await recording.append([epochBegan('ep-1')], partition);
  });
  afterAll(() => recording.close());

  /** Records everything that is on the log, and stops. */
  async function recordAll(options: Parameters<Recording['record']>[0] = {}): Promise<void> {
    const recorder = await recording.record(options);
    await recorder.caughtUp();
    await recorder.stop();
  }

  const idsOf = (records: readonly DecisionsRecord[]) =>
    records.flatMap((record) => (record.event === 'action.decided' ? [record.decision.id] : []));

  const quarantined = z.object({ log_offset: z.int(), reason: z.string(), value_base64: z.string() });
  const readQuarantine = () =>
    audit.query('SELECT * FROM quarantine FINAL ORDER BY log_offset', {}, quarantined);

  async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await isSo())) await pause(5);
  }

  async function metric(recorder: Awaited<ReturnType<Recording['record']>>, name: string): Promise<number> {
    const { values } = (await recorder.metrics.registry.getSingleMetric(name)?.get()) ?? { values: [] };
    return values.reduce((sum, { value }) => sum + value, 0);
  }

  test('every record of the log is in its table', async () => {
    const numbers = fresh(300);
    const decisions = numbers.map((n) => decided(n));
    await recording.append([
      ...decisions,
      ...numbers.slice(0, 40).map((n) => settled(n)),
      killed('kill-1', { scope: 'agent', tenant: 'acme', agentId: 'agent-1' }),
    ]);
    const letter = deadLetterOf(serial);
    const letterId = letter.deadLetter.id;
    const again = republished('rep-1', letter.deadLetter, { tenant: 'acme', answerIds: ['dec_1'] });
    await recording.bus.append(
      TOPICS.deadLetters,
      [letter, again, again].map((record) => ({ key: null, value: JSON.stringify(record) })),
    );
    await recording.bus.append(
      TOPICS.access,
      [1, 2, 2].map((n) => ({ key: null, value: JSON.stringify(readByKey(n)) })),
    );
    await recording.bus.append(TOPICS.control, [
      { key: null, partition: 0, value: JSON.stringify(ruleRemoved('acme')) },
      { key: null, partition: 0, value: JSON.stringify(ruleRemoved('globex')) },
    ]);
    await recordAll({ maxBatch: 37 });

    expect((await everyDecision(audit)).sort()).toEqual(idsOf(decisions).sort());
    expect(await ask(audit, searchSettlements, { tenant: 'acme' })).toHaveLength(40);
    expect(await ask(audit, searchControlEvents, { tenant: 'acme' })).toMatchObject([
      // There was none.
      { event: 'rule.removed', subject: 'r', by: 'ops', refusal: 'NOT_FOUND', revision: 1 },
      { id: 'kill-1', event: 'agent.killed', scope: 'agent', agentId: 'agent-1', by: 'ops' },
      // It stands in both partitions, and is one event.
      { id: 'ep-1', event: 'ledger.epoch', scope: null, agentId: null },
    ]);
    expect(await ask(audit, searchDeadLetters, {})).toMatchObject([{ id: letterId, republications: 1 }]);
    expect(await ask(audit, republicationsOf, { letterId })).toMatchObject([
      { id: 'rep-1', by: 'ops', corrected: true, tenant: 'acme', answerIds: ['dec_1'] },
    ]);
    expect(await ask(audit, searchReads, { tenant: 'acme' })).toMatchObject([
      { requestId: 'req-2' },
      { requestId: 'req-1' },
    ]);
    expect(await readQuarantine()).toEqual([]);
  });

  test('a decision on a quiet log is queryable within a second', async () => {
    const recorder = await recording.record({ gatherMs: 200 });
    await recorder.caughtUp();
    const queryableWithinMs = async () => {
      const record = decided(serial++);
      const startedMs = performance.now();
      await recording.append([record]);
      const asked = { tenant: 'acme', id: record.decision.id };
      await until(async () => (await ask(audit, decisionById, asked)).length === 1);
      return performance.now() - startedMs;
    };
    // A machine that stalls takes longer now and then, a recorder that dawdles does so always.
    await until(async () => (await queryableWithinMs()) < 1_000);
    await recorder.stop();
  });

  test('what trickles in is gathered: far fewer flushes than records', async () => {
    const recorder = await recording.record({ gatherMs: 100 });
    await recorder.caughtUp();
    const flushesBefore = await flushes(recorder);
    const records = fresh(100).map((n) => decided(n));
    const startedMs = performance.now();
    for (const record of records) {
      await recording.append([record]);
      await pause(1);
    }
    await recorder.caughtUp();
    const tookMs = performance.now() - startedMs;
    expect((await flushes(recorder)) - flushesBefore).toBeLessThanOrEqual(2 + tookMs / 100);
    expect(await everyDecision(audit)).toHaveLength(100);
    await recorder.stop();
  });

  test('what is recorded is added up in the background, and what waits for that is a metric', async () => {
    const recorder = await recording.record({ rollups: { everyMs: 5, quietMs: 0 } });
    await recording.append(fresh(20).map((n) => decided(n)));
    await recorder.caughtUp();
    const summed = async () => {
      const rows = await audit.query(
        "SELECT sum(arraySum(groups.calls)) AS calls FROM rollup_sums FINAL WHERE tenant = 'acme' AND hours = 24",
        {},
        z.object({ calls: z.int() }),
      );
      return rows[0]?.calls;
    };
    await until(async () => (await summed()) === 20);
    await until(async () => (await metric(recorder, 'mandate_recorder_rollup_hours')) === 0);
    await recorder.stop();
  });

  test('what a recorder of an earlier version lands beside this one is marked with the next look', async () => {
    const recorder = await recording.record({ rollups: { everyMs: 5, quietMs: 0 } });
    const unmarking: AuditClient = {
      ...audit,
      insert: async (table, rows) => {
        if (table !== 'rollup_marks') await audit.insert(table, rows);
      },
    };
    const count = async (sql: string) => {
      const [row] = await audit.query(sql, {}, z.object({ count: z.int() }));
      return row?.count ?? 0;
    };
    const [sign = 0, n = 0] = fresh(2);
    await recording.append([decided(sign)]);
    await until(async () => (await count('SELECT count() AS count FROM rollup_sums')) > 0);
    const { decision: record } = decided(n, { tenant: 'earlier' });
    const position = { topic: TOPICS.decisions, partition: 0, offset: 1_000_000 };
    const value = Buffer.from(JSON.stringify({ event: 'action.decided', decision: record }));
    const beside = { value, position, void: false, recordedAtMs: Date.now(), traceId: null };
    await recordDecisions(unmarking, [{ record, ...beside }]);
    const marks = "SELECT sum(touches) AS count FROM rollup_marks WHERE tenant = 'earlier'";
    await until(async () => (await count(marks)) > 0);
    await recorder.stop();
  });

  async function flushes(recorder: Awaited<ReturnType<Recording['record']>>): Promise<number> {
    const text = await recorder.metrics.registry.metrics();
    return Number(/^mandate_recorder_flush_seconds_count\S* (\d+)$/m.exec(text)?.[1] ?? 0);
  }

  test('the same record at other offsets shows once, the first by log order, and is counted once', async () => {
    const records = fresh(20).map((n) => decided(n, { agentId: 'twin' }));
    const settlements = records.map(({ decision }) =>
      settled(0, { id: `stl-${decision.id}`, actionId: decision.actionId, agentId: 'twin' }),
    );
    const offsets = await recording.append([...records, ...settlements]);
    await recordAll({ maxBatch: 3 });
    await recording.append([...settlements, ...records, ...records]);
    await recordAll({ maxBatch: 7 });

    expect((await everyDecision(audit)).sort()).toEqual(idsOf(records).sort());
    const [first] = records;
    const [row] = await ask(audit, decisionById, { tenant: 'acme', id: first?.decision.id ?? '' });
    expect(row?.logOffset).toBe(offsets[0]);
    expect(await ask(audit, chargesByAgent, { tenant: 'acme' })).toEqual([
      { agentId: 'twin', chargedMicros: 2_000_000, settledMicros: -200_000, spentMicros: 1_800_000 },
    ]);
  });

  test('what cannot be read or stored is quarantined with its bytes, and the others land', async () => {
    const good = fresh(12).map((n) => decided(n));
    const storable = decided(serial++);
    const poison = [
      Buffer.from('{"event":'),
      Buffer.from([0xff, 0xfe, 0x00]),
      Buffer.from(''),
      Buffer.from('{"event":"action.invented"}'),
      Buffer.from(
        JSON.stringify({
          ...storable,
          decision: { ...storable.decision, appendedAt: '1969-07-20T20:17:00Z' },
        }),
      ),
    ];
    const mixed = good.flatMap((record, index) => [
      record,
      ...(poison[index] === undefined ? [] : [poison[index]]),
    ]);
    await recording.append(mixed, 0);
    const strayLetter = Buffer.from('{"event":"dead.letter"}');
    await recording.bus.append(TOPICS.deadLetters, [{ key: null, value: strayLetter }]);
    await recordAll();

    expect((await everyDecision(audit)).sort()).toEqual(idsOf(good).sort());
    const rows = await readQuarantine();
    const bytes = rows.map(({ value_base64 }) => value_base64).sort();
    expect(bytes).toEqual([...poison, strayLetter].map((value) => value.toString('base64')).sort());
    for (const { reason } of rows) expect(reason).not.toBe('');
  });

  describe('a ledger epoch', () => {
    test('makes void what carries another one behind it, and only decisions and settlements', async () => {
      const [a = 0, b = 0, c = 0, d = 0] = fresh(4);
      const late = killed(`kill-${a}`, { scope: 'agent', tenant: 'acme', agentId: 'x' });
      await recording.append(
        [
          epochBegan('ep-1'),
          decided(a, { ledgerEpoch: 'ep-1' }),
          epochBegan('ep-2'),
          decided(b, { ledgerEpoch: 'ep-1' }),
          settled(b, { ledgerEpoch: 'ep-1' }),
          late,
          decided(c, { ledgerEpoch: 'ep-2' }),
          settled(c, { ledgerEpoch: 'ep-2' }),
          decided(d, { ledgerEpoch: 'ep-1' }),
        ],
        0,
      );
      await recordAll();

      expect((await everyDecision(audit)).sort()).toEqual(idsOf([decided(a), decided(c)]).sort());
      expect(await ask(audit, searchSettlements, { tenant: 'acme' })).toMatchObject([
        { actionId: `act-${c}` },
      ]);
      expect(await ask(audit, searchControlEvents, { tenant: 'acme', event: 'agent.killed' })).toHaveLength(
        1,
      );
      const rows = await ask(audit, recordedByPartition, {});
      expect(rows).toContainEqual(
        expect.objectContaining({ table: 'decisions', logPartition: 0, rows: 4, voidRows: 2 }),
      );
    });

    test('landed by a recorder that died before its commit does not reach back', async () => {
      const [a = 0] = fresh(1);
      const announced = epochBegan('ep-after');
      await recording.append([epochBegan('ep-before')], 0);
      await recordAll();
      const offsets = await recording.append([decided(a, { ledgerEpoch: 'ep-before' }), announced], 0);
      await recordControlEvents(audit, [
        {
          record: announced,
          value: Buffer.from(JSON.stringify(announced)),
          position: { topic: TOPICS.decisions, partition: 0, offset: offsets[1] ?? 0 },
          void: false,
          recordedAtMs: 1,
          traceId: null,
        },
      ]);
      await recordAll();
      expect(await everyDecision(audit)).toEqual(idsOf([decided(a)]));
    });

    test('is on record before what stands behind it, so that a row proves the epochs before it', async () => {
      const recorder = await recording.record();
      await recorder.caughtUp();
      await audit.command('RENAME TABLE control_events TO control_events_away');
      const [a = 0] = fresh(1);
      await recording.append([epochBegan(`ep-${a}`), decided(a, { ledgerEpoch: `ep-${a}` })], 0);
      await until(async () => (await metric(recorder, 'mandate_recorder_waits_total')) >= 2);
      expect(await everyDecision(audit)).toEqual([]);
      await audit.command('RENAME TABLE control_events_away TO control_events');
      await recorder.caughtUp();
      expect(await everyDecision(audit)).toEqual(idsOf([decided(a)]));
      await recorder.stop();
    });

    test('is known to a second recorder after the tables were emptied behind its announcement', async () => {
      await recording.append([epochBegan('ep-old'), epochBegan('ep-new')], 0);
      await recordAll();
      for (const table of TABLES) await audit.command(`TRUNCATE TABLE ${table}`);
      const [old, current] = fresh(2);
      for (const record of [old, old, current].map((n) =>
        decided(n ?? 0, { ledgerEpoch: n === current ? 'ep-new' : 'ep-old' }),
      )) {
        await recording.append([record], 0);
        await recordAll();
      }
      expect(await everyDecision(audit)).toEqual(idsOf([decided(current ?? 0)]));
    });

    test('is known however recorders come and go, and whatever tables were lost', async () => {
      const happening = fc.constantFrom(...Array<null>(8).fill(null), 'restart' as const, 'lose' as const);
      // Generations of a round lie above those of the rounds before it: all stand on the same log.
      let round = 0;
      await fc.assert(
        fc.asyncProperty(
          arbitraryEpochHistory,
          fc.array(happening, { maxLength: 40 }),
          fc.integer({ min: 1, max: 6 }),
          async (drawn, happenings, maxBatch) => {
            round += 1;
            for (const table of TABLES) await audit.command(`TRUNCATE TABLE ${table}`);
            const losesTables = happenings.includes('lose');
            const steps = [{ begins: { id: 'start', generation: 0 } }, ...drawn]
              .map((step) => ofRound(step, round))
              // Lost with the tables is which generations came before one that names none.
              .filter((step) => !losesTables || 'madeIn' in step || step.begins.generation !== undefined);
            const stand = standing(steps);
            let standingIds: string[] = [];
            for (const [at, step] of steps.entries()) {
              if ('begins' in step)
                await recording.append([epochBegan(step.begins.id, step.begins.generation)], 1);
              else {
                const record = decided(serial++, { ledgerEpoch: step.madeIn });
                await recording.append([record], 1);
                if (stand[at]) standingIds.push(record.decision.id);
              }
              const happened = happenings[at] ?? null;
              if (happened !== null) await recordAll({ maxBatch });
              if (happened !== 'lose') continue;
              for (const table of TABLES) await audit.command(`TRUNCATE TABLE ${table}`);
              standingIds = [];
            }
            await recordAll({ maxBatch });
            expect((await everyDecision(audit)).sort()).toEqual(standingIds.sort());
          },
        ),
        { numRuns: 12 },
      );
    });
  });

  describe('while ClickHouse is away', () => {
    test('the partition waits, alive and visible, and goes on as soon as it is back', async () => {
      const lines: string[] = [];
      const destination = { write: (line: string) => void lines.push(line) };
      const recorder = await recording.record({
        sessionTimeoutMs: 300,
        retentionMs: 200,
        log: createLogger({ name: 'recorder', destination }),
      });
      await recorder.caughtUp();
      await until(async () => (await metric(recorder, 'mandate_recorder_lag_records')) === 0);
      lines.length = 0;
      await audit.command('RENAME TABLE decisions TO decisions_away');
      const records = fresh(30).map((n) => decided(n));
      await recording.append(records);
      await until(async () => (await metric(recorder, 'mandate_recorder_lag_records')) === 30);
      await until(async () => (await metric(recorder, 'mandate_recorder_waits_total')) >= 4);
      await until(() => lines.some((line) => line.includes('records will soon be gone')));

      await audit.command('RENAME TABLE decisions_away TO decisions');
      await recorder.caughtUp();
      expect((await everyDecision(audit)).sort()).toEqual(idsOf(records).sort());
      await until(async () => (await metric(recorder, 'mandate_recorder_lag_records')) === 0);
      await recorder.stop();
      const alarms = lines.filter((line) => line.includes('records will soon be gone'));
      expect(alarms.length).toBeLessThanOrEqual(2);
      expect(lines.filter((line) => /went to another|expelled/.test(line))).toEqual([]);
    });

    test('stopping does not wait for it, and the next recorder has it all', async () => {
      await audit.command('RENAME TABLE decisions TO decisions_away');
      const recorder = await recording.record();
      const records = fresh(10).map((n) => decided(n));
      await recording.append(records);
      await until(async () => (await metric(recorder, 'mandate_recorder_waits_total')) >= 1);
      const waiting = recorder.caughtUp();
      const left = expect(waiting).rejects.toThrow('the recorder stopped');
      await recorder.stop();
      await left;
      await audit.command('RENAME TABLE decisions_away TO decisions');
      await recordAll();
      expect((await everyDecision(audit)).sort()).toEqual(idsOf(records).sort());
    });
  });

  describe('where tenants have a retention', () => {
    const january = (n: number) => wireTime(START_MS + n);
    const february = (n: number) => wireTime(Date.UTC(2026, 1, 10) + n);
    /** Of a month, so that January is past from March on. */
    const keepMonths = (tenant: string) => (tenant === 'acme' ? 1 : null);
    const inMarch = () => Date.UTC(2026, 2);

    /** One of everything of each month, of a tenant that has one and of one that has none: in February they look at it. */
    async function appendOfBoth(): Promise<{ kept: string[]; past: string[] }> {
      const [kept, past]: [string[], string[]] = [[], []];
      for (const tenant of ['acme', 'globex']) {
        for (const at of [january, february]) {
          const [n = 0] = fresh(1);
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
          await recording.append([
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
          await recording.bus.append(
            TOPICS.deadLetters,
            [
              { event: 'dead.letter', deadLetter: letter },
              { ...again, republication: { ...again.republication, at: at(n) } },
            ].map((record) => ({ key: null, value: JSON.stringify(record) })),
          );
          const read = readByKey(n, tenant);
          const value = JSON.stringify({ ...read, read: { ...read.read, at: at(n) } });
          await recording.bus.append(TOPICS.access, [{ key: null, value }]);
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
      const rows = await audit.query(
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

    test('filling the tables from the log records nothing that is past, and says from when on it did', async () => {
      const { kept, past } = await appendOfBoth();
      const recorder = await recording.record({ keepMonths, clock: inMarch });
      await recorder.caughtUp();
      expect(await rowsHeld()).toEqual(kept);
      expect(await metric(recorder, 'mandate_recorder_past_records_total')).toBe(past.length);
      expect(await tenantKeptFrom(audit, 'acme')).toBe(Date.UTC(2026, 1));
      expect(await tenantKeptFrom(audit, 'globex')).toBeNull();
      await recorder.stop();
    });

    test('nothing goes because a recorder’s clock is ahead of ClickHouse’s', async () => {
      const { kept, past } = await appendOfBoth();
      const recorder = await recording.record({
        // Kept until 2035, if it is asked of the right clock.
        keepMonths: () => 12 * 9,
        clock: () => Date.UTC(2126, 0),
        dropping: { firstAfterMs: 0, everyMs: 5 },
      });
      await recorder.caughtUp();
      await pause(200);
      expect(await rowsHeld()).toEqual([...kept, ...past].sort());
      expect(await metric(recorder, 'mandate_recorder_past_records_total')).toBe(0);
      expect(await tenantKeptFrom(audit, 'acme')).toBeNull();
      await recorder.stop();
    });

    test('what is on record goes once it is past, by itself, while the recorder goes on', async () => {
      const { kept, past } = await appendOfBoth();
      const almost = await recording.record({ keepMonths, clock: () => inMarch() - 1 });
      await almost.caughtUp();
      await almost.stop();
      expect(await rowsHeld()).toEqual([...kept, ...past].sort());

      const lines: string[] = [];
      const destination = { write: (line: string) => void lines.push(line) };
      const recorder = await recording.record({
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
      const [n = 0] = fresh(1);
      const record = decided(n, { appendedAt: february(n), decidedAt: february(n) });
      await recording.append([record]);
      await recorder.caughtUp();
      expect(await rowsHeld()).toEqual([...kept, `decisions ${record.decision.id}`].sort());
      await recorder.stop();
    });
  });

  test('several recorders share the log, one leaves, and each decision shows once', async () => {
    const recorders = await Promise.all([
      recording.record({ maxBatch: 5 }),
      recording.record({ maxBatch: 5 }),
    ]);
    const records = fresh(200).map((n) => decided(n));
    for (let start = 0; start < records.length; start += 20) {
      await recording.append(records.slice(start, start + 20));
      if (start === 100) await recorders[0].stop();
    }
    await recorders[1].caughtUp();
    expect((await everyDecision(audit)).sort()).toEqual(idsOf(records).sort());
    await recorders[1].stop();
  });
}

/** With names of its own, and generations above those of the rounds before. */
function ofRound(step: EpochStep, round: number): EpochStep {
  if ('madeIn' in step) return { madeIn: `${step.madeIn}-${round}` };
  const { id, generation } = step.begins;
  return {
    begins: {
      id: `${id}-${round}`,
      ...(generation === undefined ? {} : { generation: 100 * round + generation }),
    },
  };
}
