import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { watchFile } from './watched-file.ts';

function watched(path: string) {
  const said: string[] = [];
  const file = watchFile({
    path,
    parse: (text) => text,
    unreadable: (message) => message,
    onChange: (read) => said.push(read),
  });
  onTestFinished(() => file.stop());
  return { ...file, said };
}

test('what it says at first, and then what it says after each change', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'one');
  const { first, said } = watched(path);
  expect(first).toBe('one');
  writeFileSync(path, 'three');
  await waitUntil('the change', () => said.length > 0);
  expect(said).toEqual(['three']);
});

test('a file that is missing says so, and is read once it is there', () => {
  const path = join(temporaryFolder(), 'file');
  const { first, look, said } = watched(path);
  expect(first).toContain('cannot be read: ENOENT');
  writeFileSync(`${path}.new`, 'one');
  renameSync(`${path}.new`, path);
  look();
  look();
  expect(said).toEqual(['one']);
});
