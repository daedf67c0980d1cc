import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { textOfFile } from './read-text-file.ts';
import { watchFile } from './watched-file.ts';

function watched(path: string) {
  const said: string[] = [];
  const file = watchFile({
    path,
    parse: textOfFile,
    unreadable: (message) => message,
    onChange: (read) => said.push(read),
  });
  onTestFinished(() => file.stop());
  return { ...file, said };
}

test('reads the file at first, and again after each change', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, 'one');
  const { first, said } = watched(path);
  expect(first).toBe('one');
  writeFileSync(path, 'three');
  await waitUntil('the change', () => said.length > 0);
  expect(said).toEqual(['three']);
});

test('reports a missing file, and reads it when it exists', () => {
  const path = join(temporaryFolder(), 'file');
  const { first, look, said } = watched(path);
  expect(first).toContain('cannot be read: ENOENT');
  writeFileSync(`${path}.new`, 'one');
  renameSync(`${path}.new`, path);
  look();
  look();
  expect(said).toEqual(['one']);
});

test('watches another file as long as the document refers to it', () => {
  const folder = temporaryFolder();
  const [path, one, two] = ['file', 'one', 'two'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(path, one);
  writeFileSync(one, 'a secret');
  const said: string[] = [];
  let named: string[] = [];
  const file = watchFile({
    path,
    parse(bytes) {
      const text = textOfFile(bytes);
      named = [text];
      return existsSync(text) ? readFileSync(text, 'utf8') : 'missing';
    },
    alsoRead: () => named,
    unreadable: (message) => message,
    onChange: (read) => said.push(read),
  });
  onTestFinished(() => file.stop());
  const look = (times: number) => {
    for (let n = 0; n < times; n++) file.look();
  };
  expect(file.first).toBe('a secret');
  look(4);
  expect(said).toEqual([]);
  writeFileSync(one, 'another secret');
  look(2);
  expect(said).toEqual(['another secret']);
  writeFileSync(path, two);
  look(3);
  writeFileSync(two, 'the second');
  look(2);
  expect(said).toEqual(['another secret', 'missing', 'the second']);
  writeFileSync(one, 'of no interest');
  look(4);
  expect(said).toHaveLength(3);
});
