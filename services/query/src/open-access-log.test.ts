import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteBus } from '@mandate/bus';
import { dataFolder, kafkaSettings, silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { expect, onTestFinished, test } from 'vitest';
import { openAccessLog } from './open-access-log.ts';

const log = silentLogger();
const settings = { ...kafkaSettings.parse({}), QUERY_RECORD_READS: true };
const ON_SERVER = { CLICKHOUSE_URL: 'http://c:8123' };

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'mandate-access-log-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return dataFolder(path);
}

test('in a folder, its log takes the reads, whoever was there first', async () => {
  const bus = await openAccessLog(settings, { folder: folder(), log });
  onTestFinished(() => bus?.close());
  expect(await bus?.append(TOPICS.access, [{ key: null, partition: 0, value: '{}' }])).toHaveLength(1);
});

test('with the audit alone on a server, a log that nobody keeps is no log', async () => {
  const place = folder();
  const opening = openAccessLog({ ...settings, ...ON_SERVER }, { folder: place, log });
  await expect(opening).rejects.toMatchObject({
    code: 'ACCESS_LOG_MISSING',
    remedy: expect.stringContaining('MANDATE_KAFKA_BROKERS'),
  });

  await (await createSqliteBus({ path: place.log, log })).close();
  const bus = await openAccessLog({ ...settings, ...ON_SERVER }, { folder: place, log });
  expect(bus?.system).toBe('sqlite');
  await bus?.close();
});

test('where reads are not recorded no log is opened', async () => {
  const off = { ...settings, ...ON_SERVER, QUERY_RECORD_READS: false };
  expect(await openAccessLog(off, { folder: folder(), log })).toBe(null);
});
