import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  type ExportManifest,
  readExportManifest,
  stateOfPart,
  writeExportManifest,
} from '@mandate/documents/export-manifest';
import { type Command, Option } from 'commander';
import { type FilterName, filtersIn, parametersOf, SEARCHED_FOR, withFilters } from '../audit/filters.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { type ExitCode, WrongUse } from '../exit-codes.ts';
import { downloadPart } from '../export/download-part.ts';
import { makeFolder } from '../export/make-folder.ts';
import { momentBefore, wholeNumber } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { progressOn } from '../output/progress.ts';
import { showAnswer, write, writeJsonLine } from '../output/write.ts';

type What = 'decisions' | 'settlements' | 'control-events';
type Options = { format: string; out: string; rows: number; from?: string; to?: string };

const MOST_ROWS = 250_000;

const FILTERS: Readonly<Record<What, readonly FilterName[]>> = {
  decisions: SEARCHED_FOR,
  settlements: ['agent', 'action'],
  'control-events': ['agent', 'event'],
};

export function exportCommand(command: Command, run: RunCommand): void {
  command.description(
    'Downloads the audit as files with a manifest, and checks such files. Agents, policies and rules: `mandate pull`.',
  );
  for (const what of ['decisions', 'settlements', 'control-events'] as const)
    downloadCommand(command, what, run);
  verifyCommand(command, run);
}

function downloadCommand(command: Command, what: What, run: RunCommand): void {
  const moment = momentBefore(Date.now);
  const download = command
    .command(what)
    .description(
      `Downloads ${what} as files. Run again, the command keeps the good parts and gets what is missing. Scope audit.`,
    )
    .requiredOption('--out <folder>', 'the folder for the files')
    .addOption(
      new Option('--format <format>', 'of the files').choices(['ndjson', 'csv', 'parquet']).default('ndjson'),
    )
    .option('--rows <count>', 'rows in each file', wholeNumber({ min: 1, max: MOST_ROWS }), 100_000)
    .option('--from <time>', 'since this time: RFC 3339, a day, or 15m, 2h, 7d, 4w ago', moment)
    .option('--to <time>', 'before this time (default now)', moment);
  const order = what === 'control-events' ? 'Kind by kind: sort by happenedAt.' : 'Oldest first.';
  withFilters(download, FILTERS[what])
    .addHelpText(
      'after',
      `
${order} Amounts are integers of micro-dollars.
In CSV, an apostrophe precedes what a spreadsheet would take for a formula.

Examples:
  mandate export ${what} --from 7d --out ${what}
  mandate export ${what} --format parquet --out ${what} \\
    --from 2026-01-01 --to 2026-02-01`,
    )
    .action((options: Options) => run((context) => exportInto(what, options, context)));
}

function verifyCommand(command: Command, run: RunCommand): void {
  command
    .command('verify')
    .description('Checks that the files of an export are as they were written.')
    .argument('<folder>', 'the folder of the export')
    .addHelpText('after', '\nExample:\n  mandate export verify january')
    .action((folder: string) => run((context) => verifyFolder(folder, context)));
}

async function exportInto(what: What, options: Options, context: CommandContext): Promise<ExitCode> {
  const { stderr, signal } = context;
  const folder = resolve(options.out);
  const api = connect(context);
  await makeFolder(folder);
  const manifest = await begun(folder, what, options);
  const query = { of: manifest.of, format: manifest.format, ...manifest.query };
  const progress = progressOn(stderr);
  const rowsIn = () => manifest.parts.reduce((sum, { rows }) => sum + rows, 0);
  try {
    for (const [at, kept] of manifest.parts.entries()) {
      progress.show(`checking ${kept.file}`);
      if ((await stateOfPart(folder, kept)) === 'good') continue;
      const { file, after, lastId } = kept;
      const through = lastId === '' ? {} : { through: lastId };
      const whole = { ...query, ...(manifest.format === 'parquet' ? { rows: MOST_ROWS } : {}) };
      const again = await downloadPart(api, { folder, file, query: whole, after, ...through, signal });
      // The part is downloaded again up to the same last id. The new file may have more rows, because some rows of
      // this range were recorded late.
      if (again !== null) manifest.parts[at] = { ...again.part, lastId };
      await writeExportManifest(folder, manifest);
    }
    for (let more = manifest.total === null; more; ) {
      const number = String(manifest.parts.length + 1).padStart(5, '0');
      const file = `${manifest.of}-${number}.${manifest.format}`;
      progress.show(`${counted(rowsIn(), 'row')}; ${file}`);
      const after = manifest.parts.at(-1)?.lastId ?? null;
      const next = await downloadPart(api, {
        folder,
        file,
        query: { ...query, rows: manifest.rowsAPart },
        after,
        signal,
      });
      if (next !== null) manifest.parts.push(next.part);
      more = next?.more ?? false;
      await writeExportManifest(folder, manifest);
    }
  } finally {
    progress.clear();
  }
  const bytes = manifest.parts.reduce((sum, part) => sum + part.bytes, 0);
  manifest.total = { parts: manifest.parts.length, rows: rowsIn(), bytes };
  await writeExportManifest(folder, manifest);
  const { total } = manifest;
  return showAnswer(
    context,
    { folder, ...total },
    () =>
      `${counted(total.rows, 'row')} in ${counted(total.parts, 'file')}, ${counted(bytes, 'byte')}: ${folder}\n`,
  );
}

/** Returns the manifest in the folder if it belongs to the same export. Otherwise returns a new manifest. */
async function begun(folder: string, of: What, options: Options): Promise<ExportManifest> {
  const { format, rows: rowsAPart, from, to } = options;
  const filters = parametersOf(filtersIn({ ...options, from: undefined, to: undefined }));
  const asOf = new Date().toISOString();
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  const query = {
    ...given,
    ...(from === undefined ? {} : { from }),
    to: to ?? asOf,
  } as ExportManifest['query'];
  const there = await readExportManifest(folder);
  if (there === null) return { version: 1, of, format, query, asOf, rowsAPart, parts: [], total: null };
  // A relative time such as "7d ago" means another time in each run, so the times of the manifest are used.
  const { from: _, to: __, ...same } = there.query;
  if (there.of === of && there.format === format && isDeepStrictEqual(same, given)) return there;
  throw new WrongUse(
    `${join(folder, 'manifest.json')} is of another export`,
    'Name another folder with --out, or give the same filters and format to go on with it.',
  );
}

const MEND =
  'Run the same `mandate export` again with this folder as --out. It gets what is missing or changed, and keeps the rest.\n';

async function verifyFolder(given: string, { stdout, json }: CommandContext): Promise<ExitCode> {
  const folder = resolve(given);
  const manifest = await readExportManifest(folder);
  if (manifest === null) {
    throw new WrongUse(`there is no manifest.json in ${folder}`, 'Name the --out of an export.');
  }
  let bad = manifest.total === null ? 1 : 0;
  for (const part of manifest.parts) {
    const state = await stateOfPart(folder, part);
    if (state !== 'good') bad += 1;
    if (json) await writeJsonLine(stdout, { file: part.file, state });
    else if (state !== 'good') await write(stdout, `${part.file} is ${state}\n`);
  }
  if (manifest.total === null && !json) await write(stdout, 'the export is not complete\n');
  if (bad > 0 && !json) await write(stdout, MEND);
  if (bad === 0 && !json)
    await write(
      stdout,
      `${counted(manifest.parts.length, 'file is as it was', 'files are as they were')} written\n`,
    );
  return bad === 0 ? 0 : 3;
}
