/**
 * `npm run test:mutations`: breaks each promise, one after the other, in a copy of the repository. Then it runs the
 * tests that should fail. An argument selects promises by a pattern. Prints one line for each promise. The exit code
 * is 1 if a promise was broken and no test failed.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { copyOfRepository, ROOT } from '../copy-of-repository.ts';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';

const COPIED = [
  'docs',
  'infra',
  'schemas',
  'packages',
  'services',
  'test',
  'docker-compose.yml',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];

/** All tests that run without servers. */
const ALL = ['schemas/', 'packages/', 'services/', 'test/cases', 'test/laws'];

/**
 * Returns groups of tests that are run one after the other, until a group fails. The tests in the folder of the
 * changed file are first, because usually one of them fails.
 */
function roundsFor(file: string): readonly string[][] {
  return [[dirname(file)], ['test/cases'], ['test/laws'], ALL];
}

type Failure = { test: string; output: string };

/** Returns the first test that fails because of the change. Null if no test fails. */
function noticedBy(copy: string, rounds: readonly string[][]): Failure | null {
  for (const tests of rounds) {
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const run = spawnSync(
      process.execPath,
      [
        vitest,
        'run',
        '--project',
        'unit',
        '--bail',
        '1',
        '--testTimeout',
        '60000',
        '--passWithNoTests',
        '--maxWorkers',
        '1',
        ...tests,
      ],
      {
        cwd: copy,
        encoding: 'utf8',
        env: { ...process.env, NO_COLOR: '1', TEST_LENGTH: 'full' },
      },
    );
    if (run.status === 0) continue;
    const output = run.stdout + run.stderr;
    const failure = /^ FAIL {2}(?:unit|\|unit\|) *(.*)$/m.exec(run.stderr) ?? /FAIL +(.*)$/m.exec(output);
    return { test: failure?.[1]?.trim() ?? 'a failure without a name', output };
  }
  return null;
}

function tryOut(copy: string, { file, find, replace }: Mutation): Failure | null {
  const path = join(copy, file);
  const whole = readFileSync(path, 'utf8');
  const times = whole.split(find).length - 1;
  if (times !== 1) throw new Error(`${file} holds ${times} times: ${find}`);
  writeFileSync(
    path,
    whole.replace(find, () => replace),
  );
  try {
    return noticedBy(copy, roundsFor(file));
  } finally {
    writeFileSync(path, whole);
  }
}

const pattern = new RegExp(process.argv[2] ?? '');
const chosen = MUTATIONS.filter(({ promise }) => pattern.test(promise));
const copy = mkdtempSync(join(tmpdir(), 'mandate-mutations-'));
await copyOfRepository(copy, COPIED);
let survived = 0;
try {
  const untouched = noticedBy(copy, [ALL]);
  if (untouched !== null) {
    process.stderr.write(untouched.output);
    throw new Error(`without any mutation this fails: ${untouched.test}`);
  }
  for (const mutation of chosen) {
    const noticed = tryOut(copy, mutation);
    if (noticed === null) survived += 1;
    console.log(
      `${noticed === null ? 'SURVIVED' : 'killed  '} ${mutation.promise}${noticed === null ? '' : ` <- ${noticed.test}`}`,
    );
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${chosen.length - survived} of ${chosen.length} killed`);
process.exitCode = survived === 0 ? 0 : 1;
