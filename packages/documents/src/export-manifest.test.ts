import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  type ExportManifest,
  readExportManifest,
  stateOfPart,
  writeExportManifest,
} from './export-manifest.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-export-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const part = {
  ...{ file: 'decisions-00001.csv', after: null, lastId: 'dec_9', rows: 1, bytes: 3 },
  sha256: createHash('sha256').update('a,b').digest('hex'),
};

test('reads the manifest that it wrote, and returns null for a folder without one', async () => {
  const folder = newFolder();
  expect(await readExportManifest(folder)).toBeNull();
  const written: ExportManifest = {
    ...{ version: 1, of: 'decisions', format: 'csv', query: { agent: ['a'], to: '2026-01-02' } },
    ...{ asOf: '2026-01-02T00:00:00.000Z', rowsAPart: 10, parts: [part], total: null },
  };
  await writeExportManifest(folder, written);
  expect(await readExportManifest(folder)).toEqual(written);
});

test.each(['', '{}', '{"version":2}'])('refuses a file that is not a manifest: %j', async (text) => {
  const folder = newFolder();
  writeFileSync(join(folder, 'manifest.json'), text);
  await expect(readExportManifest(folder)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});

test('finds a part that is missing, or that has another size or other bytes', async () => {
  const folder = newFolder();
  expect(await stateOfPart(folder, part)).toBe('missing');
  for (const [text, state] of [
    ['a,b', 'good'],
    ['a,c', 'changed'],
    ['a,b,', 'changed'],
  ] as const) {
    writeFileSync(join(folder, part.file), text);
    expect(await stateOfPart(folder, part)).toBe(state);
  }
});
