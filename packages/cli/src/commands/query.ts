import type { ApiClient } from '@mandate/client';
import { allOf, rowsOf } from '@mandate/client';
import { Argument, type Command } from 'commander';
import { columnsOf } from '../audit/columns.ts';
import { filtersIn, parametersOf, withFilters } from '../audit/filters.ts';
import { foremost, mustKnow, notesOf, QUESTIONS, type Question } from '../audit/questions.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { durationMs, someText, wholeNumber } from '../input/option-values.ts';
import { printableJson } from '../output/printable.ts';
import { onlyColumns, type Row, showAnswerRows } from '../output/show-answer-rows.ts';
import { bucketsAsRows, bucketsAsSparkline, overTime } from '../output/show-buckets.ts';
import { watch } from '../output/watch.ts';
import { write, writeCsvLine, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';
import { type Unseal, type UnsealOptions, unsealedRows, unsealing, withUnseal } from './unsealing.ts';

type Options = ConnectionOptions &
  UnsealOptions & {
    limit: number;
    csv?: true;
    columns?: readonly string[];
    sparklines?: true;
    watch?: number | true;
    orderBy?: string;
  };

const PAGE = 1_000;
const WATCH_MS = 2_000;

export function queryCommand(command: Command, run: RunCommand): void {
  withConnection(
    withUnseal(
      withFilters(
        command
          .description(
            'Asks the audit: decisions, settlements, control-events and reads (newest first), one decision whole, or what ' +
              'was booked, counted and summed.',
          )
          .addArgument(new Argument('<question>').choices([...Object.keys(QUESTIONS), 'decision']))
          .argument('[id]', 'of the one decision', someText),
      ),
    )
      .option('--limit <count>', 'how many rows', wholeNumber({ min: 1, max: 1_000_000 }), 100)
      .option('--columns <names>', 'only these, in this order: agentId,spent', columnNames)
      .option('--csv', 'comma-separated values instead of a table')
      .option('--sparklines', 'buckets as a line of bars, elsewhere than on a terminal too')
      .option(
        '--watch [time]',
        'ask again and again, every 2 s unless said otherwise; Ctrl-C ends it',
        watchedEvery,
      ),
  )
    .addHelpText(
      'after',
      `
A terminal shows the columns that it has room for, and times as how long ago; a file, a pipe, --csv and --json get all of
them, in full. See also \`mandate explain\`.

Examples:
  mandate query decisions --verdict BLOCK --from 2h
  mandate query decisions --action act_…       what was decided about one action
  mandate query reads --from 7d                who asked the audit for what
  mandate query control-events --subject read-only   who changed a policy, a rule, a key or a tenant, and why
  mandate query decision dec_…                 every check: what it evidence, what it said
  mandate query spend --from 7d --watch 10s
  mandate query analytics --group-by agent --group-by tool --interval 1h --from 24h
  mandate query budgets --columns scope,subject,budgetId,left,exhaustedAt
  mandate query decisions --limit 100000 --csv > decisions.csv
  mandate query decision dec_… --unseal        what was sealed of people in it, too`,
    )
    .action((question: string, id: string | undefined, options: Options) =>
      run(async (context) => {
        if (options.watch === undefined) return ask(question, id, options, context);
        const everyMs = options.watch === true ? WATCH_MS : options.watch;
        await watch(everyMs, { ...context, bare: options.json === true }, async () => {
          await ask(question, id, options, context);
        });
        return 0;
      }),
    );
}

/** A number by itself is seconds. */
function watchedEvery(text: string): number {
  return durationMs({ min: 100, max: 86_400_000 })(/^\d+$/.test(text) ? `${text}s` : text);
}

function columnNames(text: string): readonly string[] {
  return someText(text)
    .split(',')
    .map((name) => name.trim());
}

async function ask(
  name: string,
  id: string | undefined,
  options: Options,
  context: CommandContext,
): Promise<ExitCode> {
  const question = QUESTIONS[name];
  if (question !== undefined && id !== undefined) throw new CommandFailure(2, `${name} takes no id`);
  if (options.json && (options.csv || options.columns)) {
    throw new CommandFailure(2, '--json gives all there is', 'Leave --csv and --columns out, or take jq.');
  }
  const filters = mustKnow(name, question?.filters ?? [], filtersIn(options));
  if (question === undefined) return showDecision(id, options, context);
  const asked = {
    question,
    parameters: parametersOf(filters, question.parameters),
    known: columnsOf(name, filters),
  };
  const api = connect(options, context);
  const unseal = await unsealing(options, api);
  if (question.kind === 'paged') await showPages({ ...asked, unseal }, api, options, context);
  else await showAnswer({ ...asked, unseal }, api, options, context);
  return 0;
}

type Asked = {
  question: Question;
  parameters: ReturnType<typeof parametersOf>;
  /** The columns of its rows. */
  known: readonly string[];
  unseal: Unseal;
};
type Page = Row & { next: string | null };

/** Text that is not a table is written as it comes, however much that is. */
async function showPages(
  { question, parameters: query, known, unseal }: Asked,
  api: ApiClient,
  { json, csv, limit, columns }: Options,
  { stdout }: CommandContext,
): Promise<void> {
  const list = { path: pathOf(question), query, cursor: 'cursor', pageSize: PAGE };
  const answered = rowsOf(api, { ...list, rows: (answer: Page) => rowsIn(answer, question) }, limit);
  const rows = unsealedRows(answered, unseal);
  if (json) for await (const row of rows) await writeJsonLine(stdout, row);
  else if (csv) await writeCsv(rows, { known, columns }, stdout);
  else
    await showAnswerRows(await allOf(rows), stdout, {
      ...question.presentation,
      first: foremost(question, query),
      columns,
    });
}

async function showAnswer(
  { question, parameters, known, unseal }: Asked,
  api: ApiClient,
  { json, csv, limit, columns, sparklines, orderBy = 'calls' }: Options,
  { stdout, stderr }: CommandContext,
): Promise<void> {
  const cut = question.kind === 'ranked' ? { limit: Math.min(limit, PAGE) } : {};
  const answer = await unseal(await api.get<Row>(pathOf(question), { ...parameters, ...cut }));
  if (json) return writeJsonLine(stdout, answer);
  const drawn = !csv && (sparklines === true || stdout.isTTY === true);
  const rows = rowsIn(answer, question).flatMap((row) =>
    drawn ? bucketsAsSparkline(row, orderBy) : bucketsAsRows(row),
  );
  const shown = rows.map((row) => question.row?.(row) ?? row);
  const note = question.note?.(answer);
  if (csv) {
    await writeCsv(shown, { known, columns }, stdout);
    // What is no row is no part of the file.
    if (note !== undefined) await write(stderr, `${note}\n`);
    return;
  }
  const { presentation = {} } = question;
  // What is drawn stands beside what was counted.
  const first = presentation.first?.flatMap((name) =>
    name === 'calls' ? [name, overTime(orderBy)] : [name],
  );
  const notes = notesOf(question, answer);
  await showAnswerRows(shown, stdout, { ...presentation, ...(first && { first }), notes, columns });
}

/** @param known the columns there are, also where no row is; a newer plane may give more */
async function writeCsv(
  rows: AsyncIterable<Row> | readonly Row[],
  { known, columns }: { known: readonly string[]; columns: readonly string[] | undefined },
  stdout: CommandContext['stdout'],
): Promise<void> {
  let names: readonly string[] | null = null;
  const begin = (row: Row) => {
    const more = Object.keys(row).filter((name) => !known.includes(name));
    names = onlyColumns([...known, ...more], columns);
    return writeCsvLine(stdout, names);
  };
  for await (const row of rows) {
    if (names === null) await begin(row);
    await writeCsvLine(
      stdout,
      (names ?? []).map((name) => row[name]),
    );
  }
  if (names === null) await begin({});
}

function pathOf({ path }: Question): string {
  return `/v1/audit/${path}`;
}

function rowsIn(answer: Row, { rows: name }: Question): readonly Row[] {
  const rows = answer[name];
  return Array.isArray(rows) ? rows : [];
}

async function showDecision(
  id: string | undefined,
  options: Options,
  context: CommandContext,
): Promise<ExitCode> {
  if (id === undefined) throw new CommandFailure(2, 'say which decision: `mandate query decision dec_…`');
  const path = `/v1/audit/decisions/${encodeURIComponent(id)}`;
  const api = connect(options, context);
  const unseal = await unsealing(options, api);
  const answer = await unseal(await api.get(path));
  if (options.json) await writeJsonLine(context.stdout, answer);
  else await write(context.stdout, `${linesOfJson(answer)}\n`);
  return 0;
}

/** JSON for people: its own line breaks stay, whatever else could steer the terminal is escaped. */
function linesOfJson(value: unknown): string {
  return JSON.stringify(value, null, 2).split('\n').map(printableJson).join('\n');
}
