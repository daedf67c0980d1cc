import { existsSync, statSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { createSqliteBus } from '@mandate/bus';
import { dataFolder, holdExclusively, silentLogger } from '@mandate/runtime';
import { type DecisionsRecord, TOPICS } from '@mandate/schemas';
import { temporaryFolder, waitUntil } from '@mandate/testing';
import { expect, it, onTestFinished } from 'vitest';
import { runProgram } from '../program.ts';
import { runCommand } from '../run-command.fixture.ts';

const EPOCH: DecisionsRecord = {
  event: 'ledger.epoch',
  epoch: { id: 'ep-1', previous: null, reason: 'test', at: '2026-01-01T00:00:00Z' },
};

async function openedFolder() {
  const folder = dataFolder(temporaryFolder());
  const bus = await createSqliteBus({ path: folder.log, log: silentLogger() });
  onTestFinished(() => bus.close());
  const append = (partition: number) =>
    bus.append(TOPICS.decisions, [{ key: null, value: JSON.stringify(EPOCH), partition }]);
  for (let partition = 0; partition < 8; partition++) await append(partition);
  return { folder, bus, append };
}

it('takes a snapshot if enough records have arrived since the newest snapshot, and reports the result', async () => {
  const { folder, append } = await openedFolder();
  const take = (...more: string[]) => runCommand(['snapshot', '--data', folder.path, ...more]);
  expect(await take()).toEqual({
    exitCode: 0,
    stdout: 'no snapshot is needed: 8 records follow the newest snapshot, and a new one needs 50000\n',
    stderr: '',
  });
  expect(existsSync(folder.snapshot)).toBe(false);
  const taken = await take('--after', '8');
  expect(taken).toMatchObject({ exitCode: 0, stderr: '' });
  expect(taken.stdout).toMatch(/^\S+ledger-snapshot\.ndjson taken: 8 records folded, \d+ bytes, \d+ ms\n$/);
  expect(existsSync(folder.snapshot)).toBe(true);
  await append(3);
  const { stdout } = await take('--after', '2', '--json');
  expect(JSON.parse(stdout)).toMatchObject({ snapshot: null, bytes: 0, records: 1, afterRecords: 2 });
});

it('runs beside a plane that holds the lock of the data folder', async () => {
  const { folder } = await openedFolder();
  const plane = holdExclusively(folder.lock, 'the data folder');
  expect((await runCommand(['snapshot', '--data', folder.path, '--after', '1'])).exitCode).toBe(0);
  plane.release();
  expect(existsSync(folder.snapshot)).toBe(true);
});

it('continues until it is asked to stop, and then exits with 0', async () => {
  const { folder, append } = await openedFolder();
  const asked = new AbortController();
  const running = runCommand(['snapshot', '--data', folder.path, '--after', '8', '--every', '1s', '--json'], {
    signal: asked.signal,
  });
  await waitUntil('the first', () => existsSync(folder.snapshot));
  for (let partition = 0; partition < 8; partition++) await append(partition);
  const first = statSync(folder.snapshot).ino;
  await waitUntil('the next', () => statSync(folder.snapshot).ino !== first);
  asked.abort();
  const { exitCode, stdout, stderr } = await running;
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ snapshot }) => snapshot !== null)).toHaveLength(2);
});

it('with --every, waits and tries again if the snapshot is locked', async () => {
  const { folder } = await openedFolder();
  const other = holdExclusively(`${folder.snapshot}.lock`, 'the snapshot');
  const once = await runCommand(['snapshot', '--data', folder.path, '--after', '1']);
  expect({ ...once, stderr: '' }).toEqual({ exitCode: 1, stdout: '', stderr: '' });
  const asked = new AbortController();
  const stderr = new PassThrough();
  let complained = '';
  stderr.on('data', (text) => {
    complained += text;
  });
  stderr.once('data', () => other.release());
  const running = runProgram(['snapshot', '--data', folder.path, '--after', '1', '--every', '1s'], {
    stdin: Readable.from([]),
    stdout: new PassThrough().resume(),
    stderr,
    env: {},
    signal: asked.signal,
  });
  await waitUntil('a snapshot', () => existsSync(folder.snapshot));
  asked.abort();
  expect(await running).toBe(0);
  expect(complained).toBe(
    `mandate: Another process is writing ${folder.snapshot}.\n  It is tried again in 1 s.\n`,
  );
});

it('exits with 1 if the log contains a record that the command cannot read', async () => {
  const { folder, bus } = await openedFolder();
  await bus.append(TOPICS.decisions, [{ key: null, value: 'not ours' }]);
  const { exitCode, stdout, stderr } = await runCommand(['snapshot', '--data', folder.path, '--after', '1']);
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
  expect(stderr).toMatch(/^mandate: /);
  expect(existsSync(folder.snapshot)).toBe(false);
});
