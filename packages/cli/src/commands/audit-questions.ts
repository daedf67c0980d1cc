/** The commands that ask the audit, each with the filters and the columns of its question. */
import { type ApiClient, allOf, type NextPage, rowsOf } from '@mandate/client';
import type { Command } from 'commander';
import { columnsOf } from '../audit/columns.ts';
import { type Filters, filtersIn, parametersOf, withFilters } from '../audit/filters.ts';
import { foremost, notesOf, QUESTIONS, type Question, type QuestionName } from '../audit/questions.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import type { ExitCode } from '../exit-codes.ts';
import { durationMs, someText } from '../input/option-values.ts';
import { onlyColumns, type Row, showAnswerRows } from '../output/show-answer-rows.ts';
import { bucketsAsRows, bucketsAsSparkline, overTime } from '../output/show-buckets.ts';
import { counted, moreText, type PageOptions, sayIfMore, withLimit, withPage } from '../output/show-list.ts';
import { watch } from '../output/watch.ts';
import { write, writeCsvLine, writeJsonLine } from '../output/write.ts';
import { type Unseal, type UnsealOptions, unsealedRows, unsealing, withUnseal } from './unsealing.ts';

type Options = PageOptions &
  UnsealOptions & {
    csv?: true;
    columns?: readonly string[];
    sparklines?: true;
    watch?: number | true;
    orderBy?: string;
  };

const PAGE = 1_000;
/** The highest `--limit` of a ranking that does not say how many rows it left out. One more row is requested then. */
const MAX_RANKED = PAGE - 1;
const WATCH_MS = 2_000;

/** @param command the command itself if the name of the question is one word; otherwise the parent command */
export function questionCommand(command: Command, name: QuestionName, run: RunCommand): void {
  const question: Question = QUESTIONS[name];
  const [, verb] = name.split(' ');
  const own = verb === undefined ? command : command.command(verb);
  own.description(`${question.about} Scope audit.`);
  const limits = {
    paged: withPage,
    ranked: (ranked: Command) => withLimit(ranked, undefined, saysMore(question) ? PAGE : MAX_RANKED),
    whole: (whole: Command) => whole,
  };
  const limited = limits[question.kind](withFilters(own, question.filters))
    .option('--columns <names>', 'show these columns, in this order: agentId,spent', columnNames)
    .option('--csv', 'print comma-separated values');
  if (question.filters.includes('interval'))
    limited.option('--sparklines', 'draw the buckets as a line of bars, as a terminal shows them');
  withUnseal(limited)
    .option('--watch [time]', 'ask again every 2s, or every 10s, 1m …; Ctrl-C ends it', watchedEvery)
    .addHelpText('after', `\nExamples:\n${question.examples.map((line) => `  ${line}\n`).join('')}`.trimEnd())
    .action((options: Options) =>
      run(async (context) => {
        const asked = () => ask(name, options, context);
        if (options.watch === undefined) return asked();
        const everyMs = options.watch === true ? WATCH_MS : options.watch;
        await watch(everyMs, { ...context, bare: context.json }, async () => void (await asked()));
        return 0;
      }),
    );
}

function nounOf(about: string, ...names: readonly QuestionName[]) {
  return (command: Command, run: RunCommand): void => {
    command.description(about);
    for (const name of names) questionCommand(command, name, run);
  };
}

export const settlementsCommand = nounOf('Asks the audit for settlements.', 'settlements list');
export const controlEventsCommand = nounOf(
  'Asks the audit for changes by operators and authors.',
  'control-events list',
);
export const readsCommand = nounOf('Asks who read the audit.', 'reads list');
export const queryCommand = nounOf('Asks the audit for records of one kind.', 'query context');
export const analyticsCommand = nounOf(
  'Counts and sums what agents did. `mandate spend` and `mandate budgets list` have the money.',
  'analytics groups',
  'analytics verdicts',
  'analytics codes',
  'analytics agents',
  'analytics tools',
  'analytics models',
  'analytics principals',
  'analytics latency',
  'analytics near-misses',
  'analytics movers',
  'analytics releases',
  'analytics tokens',
);

export function spendCommand(command: Command, run: RunCommand): void {
  questionCommand(command, 'spend', run);
}

/** Reads the interval of --watch. A number without a unit is in seconds. */
function watchedEvery(text: string): number {
  return durationMs({ min: 100, max: 86_400_000 })(/^\d+$/.test(text) ? `${text}s` : text);
}

function columnNames(text: string): readonly string[] {
  return someText(text)
    .split(',')
    .map((name) => name.trim());
}

type Asked = { question: Question; filters: Filters; known: readonly string[]; unseal: Unseal };
type Page = Row & { next: NextPage };

async function ask(name: QuestionName, options: Options, context: CommandContext): Promise<ExitCode> {
  const filters = filtersIn(options);
  const api = connect(context);
  const unseal = await unsealing(options, api);
  const question: Question = QUESTIONS[name];
  const asked = { question, filters, known: columnsOf(name, filters), unseal };
  if (question.kind === 'paged') await showPages(asked, api, options, context);
  else await showOneAnswer(asked, api, options, context);
  return 0;
}

/** Shows the pages of an answer. JSON and CSV are written while the pages arrive. */
async function showPages(
  { question, filters, known, unseal }: Asked,
  api: ApiClient,
  { csv, limit, cursor, columns }: Options,
  context: CommandContext,
): Promise<void> {
  const { stdout, json } = context;
  const query = parametersOf(filters, question.parameters);
  const list = {
    ...{ path: pathOf(question), query, cursor: 'cursor', pageSize: PAGE },
    rows: (answer: Page) => rowsIn(answer, question),
  };
  const counter = { rows: 0, next: null as NextPage };
  const rows = unsealedRows(counted(rowsOf(api, list, limit, cursor), counter), unseal);
  if (json) for await (const row of rows) await writeJsonLine(stdout, row);
  else if (csv) await writeCsv(rows, { known, columns }, stdout);
  else {
    const first = foremost(question, filters);
    await showAnswerRows(await allOf(rows), stdout, { ...question.presentation, first, columns });
  }
  await sayIfMore(context, api, list, counter);
}

async function showOneAnswer(
  { question, filters, known, unseal }: Asked,
  api: ApiClient,
  options: Options,
  { stdout, stderr, json }: CommandContext,
): Promise<void> {
  const { csv, columns, sparklines, orderBy = 'calls' } = options;
  const { answer, isCut } = await answerTo(question, filters, api, options);
  const told = await unseal(answer);
  if (json) await writeJsonLine(stdout, told);
  else {
    const drawn = !csv && (sparklines === true || stdout.isTTY === true);
    const rows = rowsIn(told, question).flatMap((row) =>
      drawn ? bucketsAsSparkline(row, orderBy) : bucketsAsRows(row),
    );
    const shown = rows.map((row) => question.row?.(row) ?? row);
    if (csv) {
      await writeCsv(shown, { known, columns }, stdout);
      const note = question.note?.(told);
      if (note !== undefined) await write(stderr, `${note}\n`);
    } else {
      const { presentation = {} } = question;
      const first = presentation.first?.flatMap((one) =>
        one === 'calls' ? [one, overTime(orderBy)] : [one],
      );
      const notes = notesOf(question, told);
      await showAnswerRows(shown, stdout, { ...presentation, ...(first && { first }), notes, columns });
    }
  }
  if (isCut) await write(stderr, moreText(options.limit, { max: MAX_RANKED }));
}

function saysMore({ path }: Question): boolean {
  return path === 'analytics';
}

/** Requests one row more than the limit of a ranking, unless the answer says how many rows it left out. */
async function answerTo(
  question: Question,
  filters: Filters,
  api: ApiClient,
  { limit }: Options,
): Promise<{ answer: Row; isCut: boolean }> {
  const query = parametersOf(filters, question.parameters);
  const cut = question.kind === 'ranked' ? { limit: limit + (saysMore(question) ? 0 : 1) } : {};
  const answer = await api.get<Row>(pathOf(question), { ...query, ...cut });
  const rows = rowsIn(answer, question);
  const isCut = question.kind === 'ranked' && !saysMore(question) && rows.length > limit;
  return { answer: isCut ? { ...answer, [question.rows]: rows.slice(0, limit) } : answer, isCut };
}

/** @param known the columns if there are no rows. A newer plane may return more columns */
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
