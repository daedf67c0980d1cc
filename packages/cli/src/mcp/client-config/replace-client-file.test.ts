import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { readClientFile, replaceClientFile, writeBackup } from './replace-client-file.ts';

function fileWith(text: string): string {
  const path = join(temporaryFolder(), 'mcp.json');
  writeFileSync(path, text);
  return path;
}

test('does not replace a file that was changed after it was read', async () => {
  const path = fileWith('old');
  const file = await readClientFile(path);
  writeFileSync(path, 'edited');
  await expect(replaceClientFile(file, 'new')).rejects.toThrow('was changed in the meantime');
  expect(readFileSync(path, 'utf8')).toBe('edited');
});

test('leaves no temporary file if the file cannot be written', async () => {
  const path = fileWith('old');
  mkdirSync(join(`${path}.before-mandate`, 'in the way'), { recursive: true });
  await expect(writeBackup(await readClientFile(path))).rejects.toThrow(
    '.before-mandate cannot be written: ',
  );
  expect(readdirSync(join(path, '..')).sort()).toEqual(['mcp.json', 'mcp.json.before-mandate']);
});

test('does not write through a link with the name of the backup', async () => {
  const path = fileWith('old');
  const other = fileWith('of somebody else');
  symlinkSync(other, `${path}.before-mandate`);
  const file = await readClientFile(path);
  await writeBackup(file);
  await replaceClientFile(file, 'new');
  expect(readFileSync(other, 'utf8')).toBe('of somebody else');
  expect(readFileSync(`${path}.before-mandate`, 'utf8')).toBe('old');
  expect(readFileSync(path, 'utf8')).toBe('new');
});

test.each([0o600, 0o664])('keeps the mode %o', async (mode) => {
  const path = fileWith('old');
  chmodSync(path, mode);
  await replaceClientFile(await readClientFile(path), 'new');
  expect(statSync(path).mode & 0o777).toBe(mode);
});
