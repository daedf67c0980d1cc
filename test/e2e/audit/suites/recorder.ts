/** The tests of what the recorder promises, on a real log and real tables. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AuditClient,
  ask,
  chargesByAgent,
  decisionById,
  recordDecisions,
  republicationsOf,
  searchControlEvents,
  searchDeadLetters,
  searchReads,
  searchSettlements,
} from '@mandate/audit';
import { TOPICS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  deadLetterOf,
  decided,
  killed,
  readByKey,
  republished,
  ruleRemoved,
  settled,
} from '../support/log-records.ts';
import { idsOf, metric, recorderScene, until } from '../support/recorder-scene.ts';
import { everyDecision, type OpenTables, type Recording } from '../support/recording.ts';
import { whileAway } from './clickhouse-away.ts';
import { epochsMakeVoid } from './epochs.ts';
import { tenantsKeep } from './retention.ts';

export function recorderPromises(open: OpenTables): void {
  const scene = recorderScene(open);

  const quarantined = z.object({ log_offset: z.int(), reason: z.string(), value_base64: z.string() });
  const readQuarantine = () =>
    scene.audit.query('SELECT * FROM quarantine FINAL ORDER BY log_offset', {}, quarantined);

  test('puts every record of the log into its table', async () => {
    const numbers = scene.fresh(300);
    const decisions = numbers.map((n) => decided(n));
    await scene.recording.append([
      ...decisions,
      ...numbers.slice(0, 40).map((n) => settled(n)),
      killed('kill-1', { scope: 'agent', tenant: 'acme', agentId: 'agent-1' }),
    ]);
    const letter = deadLetterOf(scene.next());
    const letterId = letter.deadLetter.id;
    const again = republished('rep-1', letter.deadLetter, { tenant: 'acme', answerIds: ['dec_1'] });
    await scene.recording.bus.append(
      TOPICS.deadLetters,
      [letter, again, again].map((record) => ({ key: null, value: JSON.stringify(record) })),
    );
    await scene.recording.bus.append(
      TOPICS.access,
      [1, 2, 2].map((n) => ({ key: null, value: JSON.stringify(readByKey(n)) })),
    );
    await scene.recording.bus.append(TOPICS.control, [
      { key: null, partition: 0, value: JSON.stringify(ruleRemoved('acme')) },
      { key: null, partition: 0, value: JSON.stringify(ruleRemoved('globex')) },
    ]);
    await scene.recordAll({ maxBatch: 37 });

    expect((await everyDecision(scene.audit)).sort()).toEqual(idsOf(decisions).sort());
    expect(await ask(scene.audit, searchSettlements, { tenant: 'acme' })).toHaveLength(40);
    expect(await ask(scene.audit, searchControlEvents, { tenant: 'acme' })).toMatchObject([
      // This removal was refused, because the rule did not exist.
      { event: 'rule.removed', subject: 'r', by: 'ops', refusal: 'NOT_FOUND', revision: 1 },
      { id: 'kill-1', event: 'agent.killed', scope: 'agent', agentId: 'agent-1', by: 'ops' },
      // Both partitions have this record, but the audit must show one event.
      { id: 'ep-1', event: 'ledger.epoch', scope: null, agentId: null },
    ]);
    expect(await ask(scene.audit, searchDeadLetters, {})).toMatchObject([
      { id: letterId, republications: 1 },
    ]);
    expect(await ask(scene.audit, republicationsOf, { letterId })).toMatchObject([
      { id: 'rep-1', by: 'ops', corrected: true, tenant: 'acme', answerIds: ['dec_1'] },
    ]);
    expect(await ask(scene.audit, searchReads, { tenant: 'acme' })).toMatchObject([
      { requestId: 'req-2' },
      { requestId: 'req-1' },
    ]);
    expect(await readQuarantine()).toEqual([]);
  });

  test('makes a decision on a quiet log queryable within a second', async () => {
    const recorder = await scene.recording.record({ gatherMs: 200 });
    await recorder.caughtUp();
    const queryableWithinMs = async () => {
      const record = decided(scene.next());
      const startedMs = performance.now();
      await scene.recording.append([record]);
      const asked = { tenant: 'acme', id: record.decision.id };
      await until(async () => (await ask(scene.audit, decisionById, asked)).length === 1);
      return performance.now() - startedMs;
    };
    // One fast run is enough. A stalled machine makes some runs slow, a slow recorder makes all runs slow.
    await until(async () => (await queryableWithinMs()) < 1_000);
    await recorder.stop();
  });

  test('inserts records that arrive slowly in few batches: far fewer inserts than records', async () => {
    const recorder = await scene.recording.record({ gatherMs: 100 });
    await recorder.caughtUp();
    const flushesBefore = await flushes(recorder);
    const records = scene.fresh(100).map((n) => decided(n));
    const startedMs = performance.now();
    for (const record of records) {
      await scene.recording.append([record]);
      await pause(1);
    }
    await recorder.caughtUp();
    const tookMs = performance.now() - startedMs;
    expect((await flushes(recorder)) - flushesBefore).toBeLessThanOrEqual(2 + tookMs / 100);
    expect(await everyDecision(scene.audit)).toHaveLength(100);
    await recorder.stop();
  });

  test('refreshes the rollups in the background, and shows in a metric how many hours still need a refresh', async () => {
    const recorder = await scene.recording.record({ rollups: { everyMs: 5, quietMs: 0 } });
    await scene.recording.append(scene.fresh(20).map((n) => decided(n)));
    await recorder.caughtUp();
    const summed = async () => {
      const rows = await scene.audit.query(
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

  test('at its next check, marks rows that an earlier version of the recorder inserted without a mark', async () => {
    const recorder = await scene.recording.record({ rollups: { everyMs: 5, quietMs: 0 } });
    const unmarking: AuditClient = {
      ...scene.audit,
      insert: async (table, rows) => {
        if (table !== 'rollup_marks') await scene.audit.insert(table, rows);
      },
    };
    const count = async (sql: string) => {
      const [row] = await scene.audit.query(sql, {}, z.object({ count: z.int() }));
      return row?.count ?? 0;
    };
    const [sign = 0, n = 0] = scene.fresh(2);
    await scene.recording.append([decided(sign)]);
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

  test('if the log has a record at several offsets, shows and counts it once, with its first log position', async () => {
    const records = scene.fresh(20).map((n) => decided(n, { agentId: 'twin' }));
    const settlements = records.map(({ decision }) =>
      settled(0, { id: `stl-${decision.id}`, actionId: decision.actionId, agentId: 'twin' }),
    );
    const offsets = await scene.recording.append([...records, ...settlements]);
    await scene.recordAll({ maxBatch: 3 });
    await scene.recording.append([...settlements, ...records, ...records]);
    await scene.recordAll({ maxBatch: 7 });

    expect((await everyDecision(scene.audit)).sort()).toEqual(idsOf(records).sort());
    const [first] = records;
    const [row] = await ask(scene.audit, decisionById, { tenant: 'acme', id: first?.decision.id ?? '' });
    expect(row?.logOffset).toBe(offsets[0]);
    expect(await ask(scene.audit, chargesByAgent, { tenant: 'acme' })).toEqual([
      { agentId: 'twin', chargedMicros: 2_000_000, settledMicros: -200_000, spentMicros: 1_800_000 },
    ]);
  });

  test('quarantines records that cannot be read or stored, with their bytes, and inserts the others', async () => {
    const good = scene.fresh(12).map((n) => decided(n));
    const storable = decided(scene.next());
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
    await scene.recording.append(mixed, 0);
    const strayLetter = Buffer.from('{"event":"dead.letter"}');
    await scene.recording.bus.append(TOPICS.deadLetters, [{ key: null, value: strayLetter }]);
    await scene.recordAll();

    expect((await everyDecision(scene.audit)).sort()).toEqual(idsOf(good).sort());
    const rows = await readQuarantine();
    const bytes = rows.map(({ value_base64 }) => value_base64).sort();
    expect(bytes).toEqual([...poison, strayLetter].map((value) => value.toString('base64')).sort());
    for (const { reason } of rows) expect(reason).not.toBe('');
  });

  test('shares the log with other recorders: when one leaves, each decision still appears once', async () => {
    const recorders = await Promise.all([
      scene.recording.record({ maxBatch: 5 }),
      scene.recording.record({ maxBatch: 5 }),
    ]);
    const records = scene.fresh(200).map((n) => decided(n));
    for (let start = 0; start < records.length; start += 20) {
      await scene.recording.append(records.slice(start, start + 20));
      if (start === 100) await recorders[0].stop();
    }
    await recorders[1].caughtUp();
    expect((await everyDecision(scene.audit)).sort()).toEqual(idsOf(records).sort());
    await recorders[1].stop();
  });

  epochsMakeVoid(scene);
  whileAway(scene);
  tenantsKeep(scene);
}
