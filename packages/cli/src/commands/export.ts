import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Argument, type Command, Option } from 'commander';
import { filtersIn, parametersOf, SEARCHED, withFilters } from '../audit/filters.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { downloadPart } from '../export/download-part.ts';
import { makeFolder } from '../export/make-folder.ts';
import { type Manifest, readManifest, stateOf, writeManifest } from '../export/manifest.ts';
import { momentBefore, wholeNumber } from '../input/option-values.ts';
import { counted } from '../output/for-people.ts';
import { progressOn } from '../output/progress.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Options = ConnectionOptions & {
  of: string;
  format: string;
  out?: string;
  rows: number;
  from?: string;
  to?: string;
};

/** The most rows of a Parquet file. */
const MOST_ROWS = 250_000;

export function exportCommand(command: Command, run: RunCommand): void {
  const moment = momentBefore(Date.now);
  withConnection(
    withFilters(
      command
        .description(
          'Takes decisions, settlements or control events away as files with a manifest, or checks such files (agents, ' +
            'policies and rules: `mandate pull`). ' +
            'Run again, it keeps the parts that are good and gets what is missing.',
        )
        .addArgument(new Argument('[verify]', 'check the files of a folder instead').choices(['verify']))
        .argument('[folder]', 'to verify')
        .addOption(
          new Option('--of <what>', 'what to take')
            .choices(['decisions', 'settlements', 'control-events'])
            .default('decisions'),
        )
        .addOption(
          new Option('--format <format>', 'of the files')
            .choices(['ndjson', 'csv', 'parquet'])
            .default('ndjson'),
        )
        .option('--out <folder>', 'where to put them')
        .option('--rows <count>', 'in each file', wholeNumber({ min: 1, max: MOST_ROWS }), 100_000),
      SEARCHED.filter((name) => name !== 'from' && name !== 'to'),
    )
      .option('--from <time>', 'RFC 3339, a day, or how long ago: 15m, 2h, 7d, 4w', moment)
      .option('--to <time>', 'likewise, not included; now, where nothing is said', moment),
  )
    .addHelpText(
      'after',
      `
Decisions and settlements come oldest first; control events by id, which is kind by kind: sort these by happenedAt.
Amounts are micro-dollars, as integers. In CSV, an apostrophe goes before whatever a spreadsheet would take for the beginning of a formula.

Examples:
  mandate export --of decisions --from 2026-01-01 --to 2026-02-01 --format parquet --out january
  mandate export --of settlements --from 7d --format csv --out settlements
  mandate export verify january`,
    )
    .action((verify: string | undefined, folder: string | undefined, options: Options) =>
      run((context) =>
        verify === undefined
          ? exportInto(options, context)
          : verifyFolder(folder ?? options.out, options, context),
      ),
    );
}

async function exportInto(options: Options, context: CommandContext): Promise<ExitCode> {
  const { stdout, stderr, signal } = context;
  if (options.out === undefined) throw new CommandFailure(2, 'say where to put the files: --out FOLDER');
  const folder = resolve(options.out);
  const api = connect(options, context);
  await makeFolder(folder);
  const manifest = await begun(folder, options);
  const query = { of: manifest.of, format: manifest.format, ...manifest.query };
  const progress = progressOn(stderr);
  const rowsIn = () => manifest.parts.reduce((sum, { rows }) => sum + rows, 0);
  try {
    for (const [at, kept] of manifest.parts.entries()) {
      progress.show(`checking ${kept.file}`);
      if ((await stateOf(folder, kept)) === 'good') continue;
      const { file, after, lastId } = kept;
      const through = lastId === '' ? {} : { through: lastId };
      const whole = { ...query, ...(manifest.format === 'parquet' ? { rows: MOST_ROWS } : {}) };
      const again = await downloadPart(api, { folder, file, query: whole, after, ...through, signal });
      // Up to the same id: what was there in between and came late is in it now.
      if (again !== null) manifest.parts[at] = { ...again.part, lastId };
      await writeManifest(folder, manifest);
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
      await writeManifest(folder, manifest);
    }
  } finally {
    progress.clear();
  }
  const bytes = manifest.parts.reduce((sum, part) => sum + part.bytes, 0);
  manifest.total = { parts: manifest.parts.length, rows: rowsIn(), bytes };
  await writeManifest(folder, manifest);
  if (options.json) await writeJsonLine(stdout, { folder, ...manifest.total });
  else
    await write(
      stdout,
      `${counted(manifest.total.rows, 'row')} in ${counted(manifest.total.parts, 'file')}, ${counted(bytes, 'byte')}: ${folder}\n`,
    );
  return 0;
}

/** The manifest that is there, if it is of the same export, or a new one. */
async function begun(folder: string, options: Options): Promise<Manifest> {
  const { of, format, rows: rowsAPart, from, to } = options;
  const filters = parametersOf(filtersIn({ ...options, from: undefined, to: undefined }));
  const asOf = new Date().toISOString();
  const given = Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
  const query = { ...given, ...(from === undefined ? {} : { from }), to: to ?? asOf } as Manifest['query'];
  const there = await readManifest(folder);
  if (there === null) return { version: 1, of, format, query, asOf, rowsAPart, parts: [], total: null };
  // Times that were said as so long ago are other ones by now: those of the manifest hold.
  const { from: _, to: __, ...same } = there.query;
  if (there.of === of && there.format === format && isDeepStrictEqual(same, given)) return there;
  throw new CommandFailure(
    2,
    `${join(folder, 'manifest.json')} is of another export`,
    'Name another folder with --out, or say the same as then to go on with it.',
  );
}

const MEND =
  'Run the same `mandate export` again, with this folder as --out: it gets what is missing or changed, and keeps the rest.\n';

async function verifyFolder(
  given: string | undefined,
  { json }: Options,
  { stdout }: CommandContext,
): Promise<ExitCode> {
  if (given === undefined) throw new CommandFailure(2, 'say which folder: `mandate export verify FOLDER`');
  const folder = resolve(given);
  const manifest = await readManifest(folder);
  if (manifest === null) {
    throw new CommandFailure(2, `there is no manifest.json in ${folder}`, 'Name the --out of an export.');
  }
  let bad = manifest.total === null ? 1 : 0;
  for (const part of manifest.parts) {
    const state = await stateOf(folder, part);
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
