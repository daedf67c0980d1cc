import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, test } from 'vitest';
import { runCommand } from '../run-command.fixture.ts';

test('writes a manifest that is valid, with test cases that pass', async () => {
  const folder = join(temporaryFolder(), 'deep', 'tutor');
  const ran = await runCommand(['init', 'manifest', folder]);
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(ran.stdout).toContain(`wrote ${join(folder, 'manifest.test.yaml')}\n`);
  expect(ran.stdout).toContain(`Start a plane with them: mandate up --policies ${folder}\n`);
  expect(await runCommand(['validate', folder])).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await runCommand(['lint', '-f', folder])).toMatchObject({
    exitCode: 0,
    stdout: '0 errors, 0 warnings\n',
  });
  const tested = await runCommand(['test', folder]);
  expect(tested.stdout).toMatch(/\n5 cases: 5 passed\n$/);
  expect(tested.exitCode).toBe(0);
});

test('never replaces a file', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'policy.yaml'), 'mine');
  const { exitCode, stderr } = await runCommand(['init', 'manifest', folder]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(`already there: ${join(folder, 'policy.yaml')}. Nothing was written`);
  expect(readFileSync(join(folder, 'policy.yaml'), 'utf8')).toBe('mine');
  expect((await runCommand(['validate', join(folder, 'manifest.yaml')])).exitCode).toBe(2);
});

test('says so if files cannot be written', async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  const { exitCode, stderr } = await runCommand(['init', 'manifest', join(file, 'below')]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('the files cannot be written: ')]);
});
