/**
 * `npm run test:faults`: runs all faults of the catalogue or some of them, and prints the result of each. Exits with
 * 0 if all passed, with 1 if one failed, with 2 if the arguments are wrong.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { SEED } from '@mandate/testing';
import { FAULTS, type Fault } from './catalogue.ts';

const USAGE = `Usage: npm run test:faults -- [--only FAULT]... [--seed SEED] [--long] [--minutes N] [--list] [--json]

  --only FAULT   only this fault, by its number, or by its name where --list shows one; may be given more than once
  --seed SEED    starts random choices from this number, to repeat a failed run; "random" takes a new one
  --long         the long form: faults by the thousand, and half an hour of them
  --minutes N    how long the soak (21) goes on: 30 with --long, a few seconds without; and how long each attack (25): 1
  --list         what there is, and where
  --json         what became of each as one JSON document; what the tests print goes to stderr
  --help         this text

What each shows, and what is not covered: docs/reliability.md
`;

const ROOT = join(import.meta.dirname, '../..');

type Asked = {
  help: boolean;
  list: boolean;
  json: boolean;
  long: boolean;
  minutes: string | undefined;
  seed: number;
  faults: readonly Fault[];
};

type Became = {
  number: number;
  what: string;
  passed: boolean;
  tests: number;
  failed: readonly string[];
  lacks: readonly string[];
};

/** The form of the output of vitest's JSON reporter. */
type Results = {
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { fullName: string; status: string }[];
  }[];
};

process.exitCode = main();

function main(): number {
  const asked = readArguments();
  if (typeof asked === 'string') {
    process.stderr.write(`${asked}\n\n${USAGE}`);
    return 2;
  }
  if (asked.help) return say(USAGE);
  if (asked.list) return say(listOf(asked.faults));
  const became = run(asked);
  if (became === null) {
    process.stderr.write('The tests ended before they said what became of them.\n');
    return 1;
  }
  if (asked.json) say(`${JSON.stringify({ seed: asked.seed, long: asked.long, faults: became }, null, 2)}\n`);
  else say(tableOf(became, asked));
  return became.every(({ passed }) => passed) ? 0 : 1;
}

function say(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

/** Returns the parsed arguments, or a text that says what is wrong with them. */
function readArguments(): Asked | string {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        seed: { type: 'string' },
        long: { type: 'boolean', default: false },
        minutes: { type: 'string' },
        list: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { only, seed, minutes, ...others } = values;
    const unknown = only?.find((asked) => !FAULTS.some((fault) => isCalled(fault, asked)));
    if (unknown !== undefined) return `there is no fault ${unknown}`;
    if (seed !== undefined && seed !== 'random' && !/^\d{1,10}$/.test(seed)) return `${seed} is no seed`;
    if (minutes !== undefined && !/^[1-9]\d{0,3}$/.test(minutes)) return `${minutes} is no number of minutes`;
    const faults = FAULTS.filter(
      (fault) => only === undefined || only.some((asked) => isCalled(fault, asked)),
    );
    return {
      ...others,
      minutes,
      seed: seed === 'random' ? randomInt(2 ** 31) : Number(seed ?? SEED),
      faults,
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isCalled({ number, name }: Fault, asked: string): boolean {
  return asked === String(number) || asked === name;
}

function listOf(faults: readonly Fault[]): string {
  return faults
    .map(
      ({ number, name, what, tests }) =>
        `${String(number).padStart(2)}  ${name === undefined ? '' : `${name}: `}${what}\n${tests.map((test) => `      ${test}\n`).join('')}`,
    )
    .join('');
}

/** Runs the tests. Returns their results, or null if vitest ended before it had results. */
function run(asked: Asked): Became[] | null {
  const { faults } = asked;
  const files = [...new Set(faults.flatMap(({ tests }) => tests))];
  // If only measured tests are chosen, they run one after the other, because each needs the machine for itself.
  const isMeasured = faults.every((fault) => fault.isMeasured);
  const runs = (isMeasured ? files.map((file) => [file]) : [files]).map((some) => runFiles(some, asked));
  const results = runs.map((each) => each.results).filter((each) => each !== null);
  if (results.length < runs.length) return null;
  const testResults = results.flatMap((each) => each.testResults);
  const became = faults.map((fault) => becameOf(fault, { testResults }));
  if (runs.every(({ status }) => status === 0) || became.some(({ passed }) => !passed)) return became;
  // A test file fails if an error happens outside of its tests. The output of vitest above names the file.
  return became.map((each) => ({ ...each, passed: false, failed: ['an error outside of the tests'] }));
}

function runFiles(files: readonly string[], { long, minutes, seed, json }: Asked) {
  const folder = mkdtempSync(join(tmpdir(), 'mandate-faults-'));
  const report = join(folder, 'results.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...files], {
    cwd: ROOT,
    env: {
      ...process.env,
      TEST_LENGTH: long ? 'long' : 'full',
      ...(minutes === undefined ? {} : { SOAK_MINUTES: minutes }),
      ATTACK_SECONDS: String(60 * Number(minutes ?? 1)),
      SEED: String(seed),
    },
    stdio: ['ignore', json ? 2 : 'inherit', 'inherit'],
  });
  const results = existsSync(report) ? (JSON.parse(readFileSync(report, 'utf8')) as Results) : null;
  rmSync(folder, { recursive: true });
  return { status, results };
}

function becameOf({ number, what, tests }: Fault, { testResults }: Results): Became {
  const files = testResults.filter(({ name }) => tests.includes(relative(ROOT, name)));
  const cases = files.flatMap(({ assertionResults }) => assertionResults);
  const failed = [
    ...files
      .filter(
        ({ status, assertionResults }) =>
          status === 'failed' && assertionResults.every((each) => each.status !== 'failed'),
      )
      .map(({ name, message }) => `${relative(ROOT, name)}: ${message}`),
    ...cases.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  ];
  const passedIn = files.filter(({ assertionResults }) =>
    assertionResults.some(({ status }) => status === 'passed'),
  );
  const ran = passedIn.map(({ name }) => relative(ROOT, name));
  // If a whole file did not run, only the file is named.
  const skipped = passedIn
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => fullName);
  const lacks = [...tests.filter((test) => !ran.includes(test)), ...skipped];
  const passed = cases.filter(({ status }) => status === 'passed').length;
  return { number, what, passed: failed.length + lacks.length === 0, tests: passed, failed, lacks };
}

function tableOf(became: readonly Became[], { seed, long, minutes }: Asked): string {
  const lines = became.flatMap(({ number, what, passed, tests, failed, lacks }) => [
    `${String(number).padStart(2)}  ${passed ? 'survived' : 'FAILED  '}  ${what} (${tests} ${tests === 1 ? 'test' : 'tests'})`,
    ...failed.map((name) => `      ${name}`),
    ...lacks.filter(() => failed.length === 0).map((name) => `      not run: ${name}`),
  ]);
  const lost = became.filter(({ passed }) => !passed);
  const again = [
    ...lost.map(({ number }) => `--only ${number}`),
    `--seed ${seed}`,
    ...(long ? ['--long'] : []),
    ...(minutes === undefined ? [] : [`--minutes ${minutes}`]),
  ];
  return [
    '',
    ...lines,
    `${became.length - lost.length} of ${became.length} survived, with the seed ${seed}`,
    ...(lost.length > 0 ? [`the same again: npm run test:faults -- ${again.join(' ')}`] : []),
    '',
  ].join('\n');
}
