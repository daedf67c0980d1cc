/**
 * Breaks and repairs ClickHouse while a recorder runs and agents continue. There are three faults. ClickHouse is
 * killed during inserts. It is paused, and then executes requests after their timeout. Its disk is full, so that an
 * insert, a merge or a rollup fails. The faults are short and repeated, or long. Answers to successful inserts are
 * lost too. During the faults and afterwards, no row may be lost, and no answer may count a row twice.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  byLength,
  describeWithOwnServers,
  IS_SHORT,
  startClickHouse,
  startFaultProxy,
  waitUntil,
} from '@mandate/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { epochBegan } from '../e2e/audit/support/log-records.ts';
import { openRecording, type Recording } from '../e2e/audit/support/recording.ts';
import { freshDatabase, openTablesOn } from '../e2e/audit/support/server-tables.ts';
import { ANSWER_MS, Away, metric, openAudit, produce, queryServiceOn } from './support/audit-at-work.ts';
import { answersTo, everyAnswer, type Get, pagesOf } from './support/audited-traffic.ts';
import { NO_DISK, smallDisk } from './support/small-disk.ts';

/** For how long ClickHouse is away, in ms. The test must wait for this time, because the time is the fault itself. */
const AWAY_MS = byLength({ short: [0], full: [0, 0, 8_000], long: [0, 0, 60_000] });
const LOST_ANSWERS = 3;
const DISK_MIB = 96;
const SOME_ROOM_BYTES = 1_500_000;
/**
 * The recorder's timeout for a request, in ms. A shorter timeout makes more requests time out while the server is
 * paused.
 */
const PATIENCE_MS = 1_500;
/**
 * Rollups are refreshed only after a pause of this length between inserts, in ms. The time between a mark and the
 * rows that it announces is shorter.
 */
const QUIET_MS = 250;
/** Each record of this table is appended once. So a row that occurs twice was inserted twice. */
const INSERTING = 'insert into settlements';

const FAULTS = [
  ['killed and started again', 'kill'],
  ['hanging for a while', 'pause'],
  ['with its disk full', 'fill'],
] as const;

describeWithOwnServers(['clickhouse'], 'ClickHouse', () => {
  // The tests run at the same time, so that they share the waiting time.
  test.concurrent.for(FAULTS.filter(([, fault]) => !IS_SHORT || fault === 'kill'))(
    '%s while a recorder runs: every row counts once in every answer',
    { timeout: 1_200_000 },
    async ([, fault], context) => {
      await using stack = new AsyncDisposableStack();
      const disk = fault === 'fill' ? stack.use(smallDisk(DISK_MIB)) : null;
      if (fault === 'fill' && disk === null) return context.skip(NO_DISK);
      const server = stack.use(await startClickHouse({ ...(disk !== null && { dataFolder: disk.path }) }));
      const database = freshDatabase();
      const recording = await openRecording(undefined, () => openTablesOn(server.url, { database }));
      stack.defer(() => recording.close());
      const proxy = stack.use(await startFaultProxy(server.port, INSERTING));
      const audit = await openAudit(`http://127.0.0.1:${proxy.port}`, database, PATIENCE_MS);
      stack.defer(() => audit.close());
      // Merges are stopped, so that a row that was inserted twice stays in the table twice. Answers must still count
      // it once. With the full disk, merges stay on, because they fill the disk too.
      const keepRepeats = async () => {
        if (disk === null) await recording.audit.command('SYSTEM STOP MERGES');
      };
      await keepRepeats();
      for (const partition of [0, 1]) await recording.append([epochBegan('ep-1')], partition);
      const recorder = await recording.record({
        audit,
        maxBatch: 500,
        gatherMs: 50,
        rollups: { everyMs: 1_000, quietMs: QUIET_MS },
      });
      const flow = produce(recording);
      stack.defer(() => flow.stop());
      const meanwhile = stack.use(await queryServiceOn(server, database, ANSWER_MS.meanwhile));
      const asking = askAllAlong(meanwhile.get);
      stack.defer(() => asking.stop().catch(() => {}));

      const rowsLand = async () => {
        const rows = await metric(recorder, 'mandate_recorder_rows_total');
        await waitUntil(
          'rows land',
          async () => (await metric(recorder, 'mandate_recorder_rows_total')) > rows,
        );
      };
      for (const [time, awayMs] of AWAY_MS.entries()) {
        await rowsLand();
        const waits = await metric(recorder, 'mandate_recorder_waits_total');
        if (fault === 'kill') await server.kill();
        else if (fault === 'pause') server.pause();
        // In every other round, the disk still has room for some inserts.
        else disk?.fill((time % 2) * SOME_ROOM_BYTES);
        const isMissed = waitUntil('it is missed', async () => {
          return (await metric(recorder, 'mandate_recorder_waits_total')) >= waits + 3;
        });
        // This query needs more disk than is free. It must fail, and must not return only a part of the rows.
        if (disk !== null)
          await expect(longAnswer(recording)).rejects.toMatchObject({ code: 'AUDIT_UNAVAILABLE' });
        await Promise.all([isMissed, sleep(awayMs)]);
        if (fault === 'kill') await server.restart();
        else if (fault === 'pause') server.resume();
        else disk?.free();
      }
      await keepRepeats();
      for (let lost = 0; lost < LOST_ANSWERS; lost += 1) {
        await rowsLand();
        await proxy.loseAnswer();
      }
      await flow.stop();
      await recorder.caughtUp();
      const afterwards = stack.use(await queryServiceOn(server, database, ANSWER_MS.afterwards));
      // On a busy machine, every question so far may have timed out.
      asking.askWith(afterwards.get);
      await waitUntil('an answer', () => asking.answered() > 0, ANSWER_MS.afterwards);
      await asking.stop();
      if (disk === null) expect(asking.refused()).toBeGreaterThan(0);

      const numbers = flow.numbers();
      expect(await everyAnswer(afterwards.get, numbers)).toEqual(answersTo(numbers));
      const stored = await rowsOf(recording, ['settlements', 'control_events', 'quarantine']);
      expect(stored.quarantine).toBe(0);
      const epochs = 2;
      if (disk === null)
        expect(stored.settlements + stored.control_events).toBeGreaterThan(flow.appendedOnce() + epochs);
    },
  );
});

/**
 * Asks repeatedly. Checks that no answer contains a decision twice, loses a decision, or counts more decisions than
 * exist.
 */
function askAllAlong(first: Get) {
  let get = first;
  let isOn = true;
  let answered = 0;
  let refused = 0;
  const everyDecision = () => pagesOf(get, '/v1/audit/decisions', 'decisions', { limit: '1000' });
  const done = (async () => {
    let most = 0;
    while (isOn) {
      try {
        const before = await everyDecision();
        const { verdicts } = await get('/v1/audit/analytics/verdicts');
        const { total } = await get('/v1/audit/analytics/spend');
        const after = await everyDecision();
        const counted = verdicts.reduce((sum: number, row: { decisions: number }) => sum + row.decisions, 0);
        for (const rows of [before, after]) expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
        expect(before.length).toBeGreaterThanOrEqual(most);
        expect(counted).toBeGreaterThanOrEqual(before.length);
        expect(counted).toBeLessThanOrEqual(after.length);
        expect(total.chargedMicros).toBeGreaterThanOrEqual(chargedIn(before));
        expect(total.chargedMicros).toBeLessThanOrEqual(chargedIn(after));
        most = after.length;
        answered += 1;
      } catch (error) {
        if (!(error instanceof Away)) throw error;
        refused += 1;
      }
      await sleep(20);
    }
  })();
  // An error is not lost: `stop` returns this promise, and every test awaits `stop`.
  done.catch(() => {});
  return {
    answered: () => answered,
    refused: () => refused,
    /** Sends the next questions to this service. */
    askWith(next: Get) {
      get = next;
    },
    stop() {
      isOn = false;
      return done;
    },
  };
}

function longAnswer({ audit }: Recording): Promise<unknown> {
  const sql = 'SELECT randomPrintableASCII(1000) AS text FROM numbers(20000)';
  return audit.query(sql, {}, z.object({ text: z.string() }));
}

function chargedIn(decisions: readonly Record<string, unknown>[]): number {
  return decisions.reduce((sum, { chargedMicros }) => sum + Number(chargedMicros), 0);
}

/** Returns the number of stored rows, repetitions included. */
async function rowsOf<Table extends string>(
  { audit }: Recording,
  tables: readonly Table[],
): Promise<Record<Table, number>> {
  const counted = tables.map(async (table) => {
    const [row] = await audit.query(`SELECT count() AS rows FROM ${table}`, {}, z.object({ rows: z.int() }));
    return [table, row?.rows];
  });
  return Object.fromEntries(await Promise.all(counted));
}
