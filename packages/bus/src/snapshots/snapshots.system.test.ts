import { existsSync, lstatSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { holdExclusively, silentLogger } from '@mandate/runtime';
import { TOPICS } from '@mandate/schemas';
import { busWith, temporaryFolder } from '@mandate/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSqliteBus } from '../sqlite/create-sqlite-bus.ts';
import { all, snapshotsContract } from './contract.ts';
import { fileSnapshots } from './file-snapshots.ts';
import { topicSnapshots } from './topic-snapshots.ts';

const LINES = ['head', ...Array.from({ length: 100 }, (_, at) => `line ${at}`)];
const unreadable = expect.objectContaining({ code: 'SNAPSHOT_UNREADABLE' });

describe('snapshots in a file', () => {
  const openPath = () => join(temporaryFolder(), 'snapshot.ndjson');
  snapshotsContract(async () => fileSnapshots(openPath()));

  test('leaves no unfinished file on a full disk', async () => {
    const path = openPath();
    symlinkSync('/dev/full', `${path}.unfinished`);
    await expect(fileSnapshots(path).save(LINES)).rejects.toThrow('ENOSPC');
    expect(lstatSync(`${path}.unfinished`, { throwIfNoEntry: false })).toBeUndefined();
    expect(existsSync(path)).toBe(false);
  });

  test('ignores files that a dead writer left, and refuses a second writer while another writes', async () => {
    const path = openPath();
    writeFileSync(`${path}.unfinished`, 'half of');
    const other = holdExclusively(`${path}.lock`, 'the snapshot');
    await expect(fileSnapshots(path).save(LINES)).rejects.toMatchObject({
      code: 'SNAPSHOT_BUSY',
      retryable: true,
    });
    other.release();
    await fileSnapshots(path).save(LINES);
    const [saved] = await all(fileSnapshots(path).newestFirst());
    expect(await all(saved?.lines())).toEqual(LINES);
  });
});

describe.each([1, 2, 8])('snapshots on a topic of %i partitions', (partitions) => {
  const openBus = async () => {
    const path = join(temporaryFolder(), 'log.sqlite');
    const bus = await createSqliteBus({ path, log: silentLogger(), partitions });
    onTestFinished(() => bus.close());
    return bus;
  };
  snapshotsContract(async () => topicSnapshots(await openBus(), TOPICS.snapshots));

  test('ignores other records on the topic', async () => {
    const bus = await openBus();
    await topicSnapshots(bus, TOPICS.snapshots).save(LINES);
    await bus.append(TOPICS.snapshots, [{ key: null, value: 'what is this?', partition: 0 }]);
    const found = await all(topicSnapshots(bus, TOPICS.snapshots).newestFirst());
    expect(await Promise.all(found.map((each) => each.head()))).toEqual(['head']);
  });

  test.each<[string, (closing: Closing) => object]>([
    ['with another digest', (closing) => ({ ...closing, sha256: '0'.repeat(64) })],
    ['that lacks a part', (closing) => ({ ...closing, parts: closing.parts.map(([at]) => [at, 1_000_000]) })],
    ['that lists nothing', (closing) => ({ ...closing, parts: [] })],
    ['that is written in another way', (closing) => ({ ...closing, encoding: 'brotli' })],
  ])('ignores a closing record %s', async (_what, spoil) => {
    const bus = await openBus();
    const spoiling = busWith(bus, {
      append: (topic, records) =>
        bus.append(
          topic,
          records.map((record) =>
            isClosing(record) ? { ...record, value: spoilt(record.value, spoil) } : record,
          ),
        ),
    });
    await topicSnapshots(spoiling, TOPICS.snapshots).save(LINES);
    const [found] = await all(topicSnapshots(bus, TOPICS.snapshots).newestFirst());
    await expect(Promise.resolve(found?.head()).then(() => all(found?.lines()))).rejects.toEqual(unreadable);
  });
});

type Closing = { sha256: string; parts: [number, number][] };

function isClosing({ key }: { key: string | null }): boolean {
  return key === 'snapshot.taken';
}

function spoilt(value: string | Uint8Array, spoil: (closing: Closing) => object): string {
  const record = JSON.parse(String(value));
  return JSON.stringify({ ...record, snapshot: spoil(record.snapshot) });
}
