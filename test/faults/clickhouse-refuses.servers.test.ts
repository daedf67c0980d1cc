/**
 * ClickHouse answers but refuses: the recorder's user loses the right to insert, or a table is missing. Meanwhile one
 * recorder is stopped and another is started. Then 10,000 records arrive at once, and one of them cannot be stored.
 * The recorder must wait, show its lag, and continue without help. No row may be lost, and no answer may count a row
 * twice. Only the record that cannot be stored may be quarantined.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  describeWithOwnServers,
  SEED,
  seededRandom,
  startClickHouse,
  temporaryFolder,
  waitUntil,
} from '@mandate/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { epochBegan } from '../e2e/audit/support/log-records.ts';
import { openRecording } from '../e2e/audit/support/recording.ts';
import { freshDatabase, openTablesOn } from '../e2e/audit/support/server-tables.ts';
import {
  ANSWER_MS,
  type Measured,
  metric,
  openAudit,
  produce,
  queryServiceOn,
} from './support/audit-at-work.ts';
import { answersTo, decisionOf, everyAnswer, recordsOf } from './support/audited-traffic.ts';
import { shuffled } from './support/shuffled.ts';

const AT_ONCE = 10_000;
const PATIENCE_MS = 120_000;
const user = (grants: string) =>
  `<password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>${grants}`;
/** The user of the recorder only. The test takes this user's rights away and gives them back. */
const usersWhere = (rights: string) => `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users>
    <default>${user('')}</default>
    <recorder>${user(`<grants><query>GRANT ${rights} ON *.*</query></grants>`)}</recorder>
  </users>
</clickhouse>`;

describeWithOwnServers(['clickhouse'], 'a ClickHouse that refuses', () => {
  test(`causes no lost row, and no answer counts a row twice (SEED=${SEED})`, async () => {
    await using stack = new AsyncDisposableStack();
    const usersFile = join(temporaryFolder(), 'users.xml');
    const allow = (rights: string) => writeFileSync(usersFile, usersWhere(rights));
    allow('ALL');
    const server = stack.use(await startClickHouse({ usersFile }));
    const database = freshDatabase();
    const recording = await openRecording(undefined, () => openTablesOn(server.url, { database }));
    stack.defer(() => recording.close());
    for (const partition of [0, 1]) await recording.append([epochBegan('ep-1')], partition);
    const record = async () => {
      const audit = await openAudit(server.url, database, PATIENCE_MS, 'recorder');
      stack.defer(() => audit.close());
      return recording.record({ audit, maxBatch: AT_ONCE, gatherMs: 50 });
    };
    let recorder = await record();
    const flow = produce(recording);
    stack.defer(() => flow.stop().then(() => {}));

    const isMissed = async () => {
      await missed(recorder);
      // This recorder is stopped. The next recorder must record everything.
      await recorder.stop();
      recorder = await record();
      await missed(recorder);
      const lag = await metric(recorder, 'mandate_recorder_lag_records');
      await waitUntil(
        'the lag to grow',
        async () => (await metric(recorder, 'mandate_recorder_lag_records')) > lag,
        PATIENCE_MS,
      );
    };
    const faults: Record<string, () => Promise<void>> = {
      async 'no right to insert'() {
        // The test server reads its users only at its start, so it is restarted.
        allow('SELECT, SHOW');
        await server.restart();
        await isMissed();
        allow('ALL');
        await server.restart();
      },
      async 'a table gone'() {
        await recording.audit.command('RENAME TABLE settlements TO settlements_away');
        await isMissed();
        await recording.audit.command('RENAME TABLE settlements_away TO settlements');
      },
    };
    for (const [, cause] of shuffled(Object.entries(faults), seededRandom(SEED))) {
      await landed(recorder);
      await cause();
    }
    await landed(recorder);
    await flow.stop();
    await recorder.caughtUp();

    const before = flow.numbers();
    const numbers = before + AT_ONCE / 2;
    const records = Array.from({ length: AT_ONCE / 2 }, (_, at) => recordsOf(before + at)).flat();
    const hostile = decisionOf(numbers);
    hostile.decision.appendedAt = '1969-07-20T20:17:00Z';
    await recording.append([...records.slice(0, 4_321), hostile, ...records.slice(4_321)]);
    await recorder.caughtUp();

    const afterwards = stack.use(await queryServiceOn(server, database, ANSWER_MS.afterwards));
    const { kills, deadLetters, ...answers } = await everyAnswer(afterwards.get, numbers);
    const { kills: allKills, deadLetters: _, ...expected } = answersTo(numbers);
    expect(answers).toEqual(expected);
    expect(kills).toEqual(allKills);
    expect(deadLetters).toEqual(answersTo(before).deadLetters);
    const aside = await recording.audit.query(
      'SELECT value_base64 FROM quarantine FINAL',
      {},
      z.object({ value_base64: z.string() }),
    );
    expect(aside.map(({ value_base64 }) => Buffer.from(value_base64, 'base64').toString())).toEqual([
      JSON.stringify(hostile),
    ]);
  });
});

/** Resolves when the recorder has waited for ClickHouse several times. */
async function missed(recorder: Measured): Promise<void> {
  const waits = await metric(recorder, 'mandate_recorder_waits_total');
  await waitUntil(
    'it to be missed',
    async () => (await metric(recorder, 'mandate_recorder_waits_total')) >= waits + 3,
    PATIENCE_MS,
  );
}

/** Resolves when the recorder has inserted more rows. */
async function landed(recorder: Measured): Promise<void> {
  const rows = await metric(recorder, 'mandate_recorder_rows_total');
  await waitUntil(
    'rows to land',
    async () => (await metric(recorder, 'mandate_recorder_rows_total')) > rows,
    PATIENCE_MS,
  );
}
