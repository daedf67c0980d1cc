import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMandateError, silentLogger } from '@mandate/runtime';
import { createLogger } from '@mandate/server';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type MandatesFile, openMandatesFile } from './mandates-file.ts';

const good = (id: string) => `version: 1\nid: ${id}\nagents: ["*"]\n`;

function opened(text: string, log = silentLogger()) {
  const path = join(temporaryFolder(), 'mandates.yaml');
  writeFileSync(path, text);
  const file = openMandatesFile({ path, log });
  onTestFinished(() => file.stop());
  const inForce = () => {
    const { mandates, revision } = file.control();
    return { ids: mandates.map(({ reference }) => reference.id), revision };
  };
  return { path, file, inForce };
}

test('an edit takes effect and gets a new revision', async () => {
  const { path, inForce } = opened(good('one'));
  expect(inForce()).toEqual({ ids: ['one'], revision: 1 });
  writeFileSync(path, `${good('two')}---\n${good('three')}`);
  await waitUntil('the edit', () => inForce().revision === 2);
  expect(inForce()).toEqual({ ids: ['two', 'three'], revision: 2 });
});

test('keeps the last good file after a bad edit and logs what is wrong and where, until the file is fixed', () => {
  const lines: string[] = [];
  const log = createLogger({ name: 'test', destination: { write: (line: string) => void lines.push(line) } });
  const { path, file, inForce } = opened(good('one'), log);
  writeFileSync(path, `${good('two')}maxCostTotal: -1\n`);
  lookTwice(file);
  expect(inForce()).toEqual({ ids: ['one'], revision: 1 });
  expect(file.faults()).toMatchObject([{ line: 4, column: 1, path: 'maxCostTotal' }]);
  expect(lines.join('')).toMatch(/"level":"error".*"line":4.*the last good one stays in force/);
  writeFileSync(path, good('three'));
  lookTwice(file);
  expect(inForce()).toEqual({ ids: ['three'], revision: 2 });
  expect(file.faults()).toEqual([]);
});

test('logs the mandates in force once after a good edit, at the plane’s default level', () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const { path, file } = opened(good('one'), createLogger({ name: 'test', level: 'warn', destination }));
  expect(lines).toEqual([]);
  writeFileSync(path, `${good('two')}---\n${good('three')}`);
  lookTwice(file);
  lookTwice(file);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { path, revision: 2, mandates: ['two', 'three'], count: 2 },
  ]);
});

test('notices a file that was replaced by another of the same size and name', () => {
  const { path, file, inForce } = opened(good('one'));
  writeFileSync(`${path}.new`, good('two'));
  renameSync(`${path}.new`, path);
  lookTwice(file);
  expect(inForce().ids).toEqual(['two']);
});

test('ignores a file that is still being written, even if its beginning is valid', () => {
  const { path, file, inForce } = opened(good('one'));
  writeFileSync(path, good('two'));
  file.look();
  appendFileSync(path, 'maxCostTotal: 5\n');
  file.look();
  expect(inForce()).toEqual({ ids: ['one'], revision: 1 });
  file.look();
  expect(inForce()).toEqual({ ids: ['two'], revision: 2 });
  expect(file.control().mandates[0]?.policies[0]?.maxCostTotalMicros).toBe(5_000_000);
});

test('ignores a file that changed during the read, until a later check finds it unchanged', () => {
  const path = join(temporaryFolder(), 'mandates.yaml');
  writeFileSync(path, good('one'));
  let behindIt = '';
  const readBytes = () => {
    const bytes = readFileSync(path);
    appendFileSync(path, behindIt);
    behindIt = '';
    return bytes;
  };
  const file = openMandatesFile({ path, log: silentLogger(), readBytes });
  onTestFinished(() => file.stop());
  writeFileSync(path, good('second'));
  behindIt = 'maxCostTotal: 5\n';
  lookTwice(file);
  expect(file.control()).toMatchObject({ revision: 1, mandates: [{ reference: { id: 'one' } }] });
  file.look();
  expect(file.control()).toMatchObject({
    revision: 2,
    mandates: [{ reference: { id: 'second' }, policies: [{ maxCostTotalMicros: 5_000_000 }] }],
  });
});

test('logs warnings about doubtful entries, at the start and after each edit', () => {
  const lines: string[] = [];
  const log = createLogger({ name: 'test', destination: { write: (line: string) => void lines.push(line) } });
  const { path, file } = opened(`${good('one')}deniedTools: ["rm?"]\n`, log);
  expect(lines.join('')).toContain(`${path}:4:15 deniedTools.0: \\"?\\" matches only itself`);
  lines.length = 0;
  writeFileSync(path, `${good('two')}deniedTools: ["[rm]"]\n`);
  lookTwice(file);
  expect(lines.join('')).toMatch(/"level":"warn".*"count":1,"warnings":\[".*:4:15 deniedTools\.0: /);
  lines.length = 0;
  writeFileSync(path, good('three'));
  lookTwice(file);
  expect(lines.join('')).not.toContain('possible mistakes');
});

test('text that is not UTF-8 is a bad edit, and at the start an error with position and encoding', () => {
  const { path, file, inForce } = opened(good('one'));
  writeFileSync(path, Buffer.from(`${good('two')}deniedTools: [löschen]\n`, 'latin1'));
  lookTwice(file);
  expect(inForce().ids).toEqual(['one']);
  expect(file.faults()).toEqual([
    { line: 4, column: 16, path: '', message: expect.stringContaining('probably Latin-1') },
  ]);
  const caught = catching(() => openMandatesFile({ path, log: silentLogger() }));
  expect(String(caught)).toContain(`${path}:4:16 the file is not UTF-8 at byte`);
});

test('refuses a pipe in place of the file, and does not wait for data from it', () => {
  const { path, file, inForce } = opened(good('one'));
  rmSync(path);
  execFileSync('mkfifo', [path]);
  lookTwice(file);
  expect(file.faults()[0]?.message).toContain('not a regular file');
  expect(inForce()).toEqual({ ids: ['one'], revision: 1 });
  const caught = catching(() => openMandatesFile({ path, log: silentLogger() }));
  expect(isMandateError(caught, 'MANDATES_INVALID')).toBe(true);
});

test('a file that is missing or unreadable is a bad edit', () => {
  const { path, file, inForce } = opened(good('one'));
  rmSync(path);
  lookTwice(file);
  expect(inForce()).toEqual({ ids: ['one'], revision: 1 });
  expect(file.faults()[0]?.message).toContain('cannot be read');
  writeFileSync(path, good('two'));
  chmodSync(path, 0o600);
  lookTwice(file);
  expect(inForce().ids).toEqual(['two']);
});

test('a folder in place of the file, or a path below a file, throws nothing', () => {
  const { path, file } = opened(good('one'));
  rmSync(path);
  renameSync(writeAt(`${path}.d`), path);
  expect(() => lookTwice(file)).not.toThrow();
  function writeAt(at: string) {
    writeFileSync(at, '\0');
    return at;
  }
  expect(file.faults()).not.toEqual([]);
});

test('a bad file at the start is an error that lists every fault with its position', () => {
  const path = join(temporaryFolder(), 'mandates.yaml');
  writeFileSync(path, `${good('one')}maxCostTotal: -1\nfoo: 1\n`);
  const caught = catching(() => openMandatesFile({ path, log: silentLogger() }));
  expect(isMandateError(caught, 'MANDATES_INVALID')).toBe(true);
  expect(String(caught)).toContain(`${path}:4:1 maxCostTotal`);
  expect(String(caught)).toContain(`${path}:5:1 foo`);
  expect(
    isMandateError(catching(() => openMandatesFile({ path: `${path}/none`, log: silentLogger() }))),
  ).toBe(true);
});

/** Checks the file twice. A change takes effect when the second check finds the same file. */
function lookTwice(file: MandatesFile) {
  file.look();
  file.look();
}

function catching(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return null;
}
