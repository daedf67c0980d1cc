import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { dataFolder, silentLogger } from '@mandate/runtime';
import { kafkaSettings } from '@mandate/runtime/settings';
import { TOPICS } from '@mandate/schemas';
import { expect, onTestFinished, test } from 'vitest';
import { openQueryLog } from './open-query-log.ts';

const log = silentLogger();
const settings = { ...kafkaSettings.parse({}), QUERY_RECORD_READS: true };
const ON_SERVER = { CLICKHOUSE_URL: 'http://c:8123' };

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'mandate-query-log-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return dataFolder(path);
}

test('records reads on the log of a folder, even if the service creates the log', async () => {
  const bus = await openQueryLog(settings, { folder: folder(), log });
  onTestFinished(() => bus?.close());
  expect(await bus?.append(TOPICS.access, [{ key: null, partition: 0, value: '{}' }])).toHaveLength(1);
});

test('refuses to create a log that no recorder reads, if only the audit is on a server', async () => {
  const place = folder();
  const opening = openQueryLog({ ...settings, ...ON_SERVER }, { folder: place, log });
  await expect(opening).rejects.toMatchObject({
    code: 'ACCESS_LOG_MISSING',
    remedy: expect.stringContaining('MANDATE_KAFKA_BROKERS'),
  });

  await (await createSqliteBus({ path: place.log, log })).close();
  const bus = await openQueryLog({ ...settings, ...ON_SERVER }, { folder: place, log });
  expect(bus?.system).toBe('sqlite');
  await bus?.close();
});

test('opens an existing log for its keys even if reads are not recorded', async () => {
  const off = { ...settings, QUERY_RECORD_READS: false };
  expect(await openQueryLog({ ...off, ...ON_SERVER }, { folder: folder(), log })).toBe(null);
  const bus = await openQueryLog(off, { folder: folder(), log });
  expect(bus?.system).toBe('sqlite');
  await bus?.close();
});
