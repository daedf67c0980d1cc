/**
 * Drops tables and creates them again while a recorder runs. The recorder ends with an error, and the next recorder
 * fills the tables.
 */
import { type AuditClient, ask, identity, MIGRATIONS_DIRECTORY, migrate } from '@mandate/audit';
import type { Recorder } from '@mandate/recorder';
import { recorderGroup, TOPICS } from '@mandate/schemas';
import { describeWithServers, sharedServer } from '@mandate/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { decided, epochBegan } from './support/log-records.ts';
import { everyDecision, openRecording, type Recording } from './support/recording.ts';
import { openTablesOn } from './support/server-tables.ts';

const NEVER_MS = 2 ** 31 - 1;
const REPLACED = { code: 'AUDIT_TABLES_REPLACED', retryable: false };

describeWithServers(['clickhouse'], 'tables that are created again while a recorder runs:', () => {
  let recording: Recording;
  let audit: AuditClient;
  const decisions = Array.from({ length: 60 }, (_, n) => decided(n));
  const [before, after] = [decisions.slice(0, 40), decisions.slice(40)];

  beforeEach(async () => {
    recording = await openRecording(undefined, async () => openTablesOn(await sharedServer('clickhouse')));
    ({ audit } = recording);
    for (const partition of [0, 1]) await recording.append([epochBegan('ep-1')], partition);
    await recording.append(before);
  });
  afterEach(() => recording.close());

  async function makeTablesAnew(): Promise<void> {
    for (const { name } of await audit.query('SHOW TABLES', {}, z.object({ name: z.string() }))) {
      await audit.command(`DROP TABLE ${name} SYNC`);
    }
    await migrate(audit, MIGRATIONS_DIRECTORY);
  }

  async function endsAndIsStartedAgain(recorder: Recorder): Promise<void> {
    await expect(recorder.finished).rejects.toMatchObject(REPLACED);
    await expect(recorder.caughtUp()).rejects.toThrow('the recorder stopped');
    await recorder.stop();
    const successor = await recording.record();
    await successor.caughtUp();
  }

  const onRecord = async () => (await everyDecision(audit)).sort();
  const idsOf = (records: typeof decisions) => records.map(({ decision }) => decision.id).sort();

  test('a recorder notices that the tables were replaced, even if no records arrive', async () => {
    const recorder = await recording.record();
    await recorder.caughtUp();
    await makeTablesAnew();
    await endsAndIsStartedAgain(recorder);
    expect(await onRecord()).toEqual(idsOf(before));
  });

  test('a recorder does not commit the records that it inserted into new tables', async () => {
    const [tables] = await ask(audit, identity, {});
    const recorder = await recording.record({ lagEveryMs: NEVER_MS });
    await recorder.caughtUp();
    await makeTablesAnew();
    await recording.append(after);
    await endsAndIsStartedAgain(recorder);
    expect(await onRecord()).toEqual(idsOf(decisions));

    const formerGroup = await recording.bus.consume({
      group: recorderGroup(tables?.id ?? ''),
      topics: [TOPICS.decisions],
      from: 'earliest',
      onBatch: async () => {},
    });
    const lags = await formerGroup.lag();
    await formerGroup.stop();
    expect(lags.reduce((sum, { lag }) => sum + lag, 0)).toBe(after.length);
  });
});
