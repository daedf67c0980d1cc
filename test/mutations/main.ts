/**
 * `npm run test:mutations`: breaks each promise, one after the other, in a copy of the repository. Then it runs the
 * tests that should fail. Prints one line for each promise. The exit code is 0 if each break was noticed, 1 if a
 * promise was broken and no test failed, 2 if the arguments are wrong.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyOfRepository, ROOT } from '../copy-of-repository.ts';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './mutations.ts';

const USAGE = `Usage: npm run test:mutations -- [--list] [PATTERN]

  PATTERN   only the promises that this regular expression matches
  --list    prints these promises, and breaks none
  --help    this text

All promises take hours. First all unit tests run without any change, which takes minutes.
`;

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

type Asked = { help: boolean; list: boolean; chosen: readonly Mutation[] };

/** Returns null, after a line on stderr, if the arguments are wrong. */
function readArguments(): Asked | null {
  try {
    const { values, positionals } = parseArgs({
      options: { help: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    if (positionals.length > 1) throw new Error('more than one pattern was given');
    const pattern = new RegExp(positionals[0] ?? '');
    const chosen = MUTATIONS.filter(({ promise }) => pattern.test(promise));
    if (chosen.length === 0) throw new Error(`no promise matches ${pattern}`);
    return { ...values, chosen };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    return null;
  }
}

/** Returns how many of the broken promises no test noticed. */
async function breakEach(chosen: readonly Mutation[]): Promise<number> {
  const copy = mkdtempSync(join(tmpdir(), 'mandate-mutations-'));
  try {
    await copyOfRepository(copy, COPIED);
    const untouched = noticedBy(copy, [ALL]);
    if (untouched !== null) {
      process.stderr.write(untouched.output);
      throw new Error(`without any mutation this fails: ${untouched.test}`);
    }
    return chosen.filter((mutation) => {
      const noticed = tryOut(copy, mutation);
      console.log(
        noticed === null ? `SURVIVED ${mutation.promise}` : `killed   ${mutation.promise} <- ${noticed.test}`,
      );
      return noticed === null;
    }).length;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  const asked = readArguments();
  if (asked === null) return 2;
  if (asked.help || asked.list) {
    process.stdout.write(asked.help ? USAGE : asked.chosen.map(({ promise }) => `${promise}\n`).join(''));
    return 0;
  }
  const survived = await breakEach(asked.chosen);
  console.log(`${asked.chosen.length - survived} of ${asked.chosen.length} killed`);
  return survived === 0 ? 0 : 1;
}

process.exitCode = await main();
