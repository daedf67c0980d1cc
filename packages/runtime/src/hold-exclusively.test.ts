import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { holdExclusively } from './hold-exclusively.ts';

test('lets one process hold the lock, and the next process after its release', () => {
  const path = join(temporary(), 'lock');
  const held = holdExclusively(path, 'the plane');
  expect(() => holdExclusively(path, 'the plane')).toThrow(/in use by another process/);
  held.release();
  holdExclusively(path, 'the plane').release();
});

test('reports with its own message that another process holds the lock', () => {
  const folder = temporary();
  const path = join(folder, 'lock');
  const held = holdExclusively(path, 'the plane');
  onTestFinished(() => held.release());
  const error = thrownBy(() => holdExclusively(path, 'the plane'));
  expect(error).toMatchObject({ code: 'ALREADY_HELD', message: 'the plane is in use by another process' });
  expect(error.cause).toBeUndefined();
});

test.each([
  ['is no folder', (folder: string) => join(folder, 'file', 'lock')],
  ['is no file', (folder: string) => folder],
  ['is no lock', (folder: string) => join(folder, 'file')],
])('rejects a path that %s', (_name, pathIn) => {
  const folder = temporary();
  writeFileSync(
    join(folder, 'file'),
    'text that is no database, and long enough to be read as one'.repeat(20),
  );
  expect(thrownBy(() => holdExclusively(pathIn(folder), 'the plane'))).toMatchObject({
    code: 'FOLDER_NOT_USABLE',
    message: 'the plane cannot be locked',
    remedy: expect.stringContaining('may write to it'),
  });
});

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function thrownBy(work: () => unknown): Error {
  try {
    work();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}
