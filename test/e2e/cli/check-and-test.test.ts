/**
 * Tests that `npm test` runs the checks and the tests at the same time, and fails if one of them fails. Stand-ins
 * replace the real checks and tests.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@mandate/testing';
import { expect, it } from 'vitest';

const SCRIPT = join(import.meta.dirname, '../../../scripts/check-and-test.mjs');

/** @param checks the shell commands that replace `npm run check:run` */
function run(checks: string, tests: string) {
  const folder = temporaryFolder();
  for (const [name, commands] of [
    ['npm', checks],
    ['vitest', tests],
  ] as const) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${commands}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const env = { PATH: `${folder}:${process.env.PATH}` };
  return spawnSync(process.execPath, [SCRIPT, '--project', 'unit'], { env, encoding: 'utf8' });
}

it('npm test passes if both pass, prints the output of the checks, and passes its arguments to vitest', () => {
  const { status, stdout } = run('echo "types are right"', 'echo "tests: $*"');
  expect(status).toBe(0);
  expect(stdout.split('\n').toSorted()).toEqual(['', 'tests: run --project unit', 'types are right']);
});

it('npm test fails with the exit code of the tests if the checks pass', () => {
  expect(run('true', 'exit 7').status).toBe(7);
});

it('npm test stops the tests and fails if the checks fail, whatever the tests return', () => {
  const { status, stderr } = run('echo "a type is wrong" >&2; exit 2', 'exec sleep 60');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^a type is wrong\n[\s\S]*the checks failed/);
  expect(run('exit 2', 'true').status).toBe(1);
});
