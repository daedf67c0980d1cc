/**
 * `npm run test:json-schema -- --suite FOLDER`: runs Mandate on each case of the JSON-Schema-Test-Suite
 * (github.com/json-schema-org/JSON-Schema-Test-Suite). FOLDER is a copy of the suite. Exits with 0 if no case
 * differs, with 1 if one does, with 2 if the arguments are wrong.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Dialect, type Group, type GroupResult, runGroup } from './run-suite.ts';

const USAGE = `Usage: npm run test:json-schema -- --suite FOLDER [--json]

  --suite FOLDER  a copy of the JSON-Schema-Test-Suite: the folder that holds tests/draft2020-12
  --json          the counts as one JSON document
  --help          this text

What is refused, and why: docs/mandates.md
`;

const FOLDERS: readonly (readonly [folder: string, dialect: Dialect])[] = [
  ['tests/draft2020-12', '2020-12'],
  ['tests/draft7', 'draft-07'],
];

/** Counts for one set of files: required, optional or formats. */
type Counts = {
  what: string;
  equal: number;
  /** The number of these groups that were accepted only after their defaults were added. */
  explicit: number;
  stricter: Record<string, number>;
  refused: Record<string, number>;
  different: string[];
};

process.exitCode = main();

function main(): number {
  let values: { suite?: string; json?: boolean; help?: boolean };
  try {
    ({ values } = parseArgs({
      options: {
        suite: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }));
  } catch (error) {
    return usage(error instanceof Error ? error.message : String(error));
  }
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const { suite } = values;
  if (suite === undefined) return usage('--suite is missing');
  const present = FOLDERS.filter(([folder]) => existsSync(join(suite, folder)));
  if (present.length === 0) return usage(`${suite} holds no tests/draft2020-12`);
  const counts = present.flatMap(([folder, dialect]) =>
    ['', 'optional', 'optional/format'].map((part) => countsOf(join(suite, folder), part, dialect)),
  );
  process.stdout.write(values.json ? `${JSON.stringify(counts, null, 2)}\n` : counts.map(tableOf).join('\n'));
  return counts.some(({ different }) => different.length > 0) ? 1 : 0;
}

function usage(wrong: string): 2 {
  process.stderr.write(`${wrong}\n\n${USAGE}`);
  return 2;
}

function countsOf(folder: string, part: string, dialect: Dialect): Counts {
  const counts: Counts = {
    what: `${dialect}, ${part === '' ? 'required' : part}`,
    equal: 0,
    explicit: 0,
    stricter: {},
    refused: {},
    different: [],
  };
  const files = existsSync(join(folder, part)) ? readdirSync(join(folder, part)) : [];
  for (const file of files.filter((name) => name.endsWith('.json')).sort()) {
    const groups = JSON.parse(readFileSync(join(folder, part, file), 'utf8')) as Group[];
    for (const group of groups) add(counts, runGroup(group, dialect), { file, cases: group.tests.length });
  }
  return counts;
}

function add(counts: Counts, result: GroupResult, { file, cases }: { file: string; cases: number }): void {
  if ('refused' in result) {
    counts.refused[result.refused] = (counts.refused[result.refused] ?? 0) + cases;
    return;
  }
  counts.equal += result.equal;
  if (result.explicit) counts.explicit += result.equal;
  for (const { format } of result.stricter) counts.stricter[format] = (counts.stricter[format] ?? 0) + 1;
  counts.different.push(...result.different.map((description) => `${file}: ${description}`));
}

function tableOf({ what, equal, explicit, stricter, refused, different }: Counts): string {
  const line = (count: number, text: string) => `${String(count).padStart(6)}  ${text}\n`;
  const each = (counts: Record<string, number>, say: (key: string) => string) =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([key, count]) => line(count, say(key)))
      .join('');
  return (
    `${what}\n` +
    line(equal, `equal, ${explicit} of them with the schema's unsaid parts written out`) +
    each(
      stricter,
      (format) => `refused by the format ${format}, which is enforced more strictly than the suite asks`,
    ) +
    each(refused, (reason) => `refused at load: ${reason}`) +
    line(different.length, 'different') +
    different.map((description) => `          ${description}\n`).join('')
  );
}
