/** Lists of a plane: as a table, as blocks of text, or as JSON. Says on stderr if a limit left rows out. */
import { type ApiClient, allOf, type NextPage, type PagedList, type Query, rowsOf } from '@mandate/client';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { connect } from '../connection.ts';
import { someText, wholeNumber } from '../input/option-values.ts';
import { nowOn, showFitted } from './show-fitted.ts';
import type { Column } from './table.ts';
import { write, writeJsonLine } from './write.ts';

export type PageOptions = { limit: number; cursor?: string };

/** The highest `--limit` of a list with pages. */
const MAX_LIMIT = 1_000_000;

export function withLimit(command: Command, otherwise = 100, max = MAX_LIMIT): Command {
  const count = wholeNumber({ min: 1, max });
  return command.option('--limit <count>', 'show at most this many', count, otherwise);
}

export function withPage(command: Command, otherwise = 100): Command {
  return withLimit(command, otherwise).option(
    '--cursor <cursor>',
    'go on where an earlier list ended, as its note says',
    someText,
  );
}

type Page = { readonly next: NextPage; readonly [field: string]: unknown };
/**
 * The route and the rows of a list. `rows`: the field of an answer that contains the rows. Most lists need no
 * `cursor` and `pageSize`.
 */
type List = { path: string; query?: Query; rows: string; cursor?: string; pageSize?: number };

/**
 * `columns`: the list is a table, with times relative to `nowMs`. `text`: the list is a block of text for each row.
 */
type How<Row> = {
  /** The text if there are no rows. */
  empty: string;
  rest?: string;
  /** Receives the rows of each page. */
  seen?(rows: readonly Row[]): void;
} & (
  | { columns(nowMs: number | null): readonly Column<Row>[]; text?: never }
  | { text(row: Row): string; columns?: never }
);

/** Shows a list in the form that the options name. Returns the exit code of a successful command. */
export async function showList<Row>(
  context: CommandContext,
  { rows: field, ...asked }: List,
  { limit, cursor }: PageOptions,
  how: How<Row>,
): Promise<0> {
  const api = connect(context);
  const rows = (answer: Page) => {
    const found = answer[field] as readonly Row[];
    how.seen?.(found);
    return found;
  };
  const list = { cursor: 'cursor', pageSize: 1_000, ...asked, rows };
  const counter = { rows: 0, next: null as NextPage };
  await showRows(context, counted(rowsOf(api, list, limit, cursor), counter), how);
  await sayIfMore(context, api, list, counter);
  return 0;
}

/**
 * Shows rows as they arrive. JSON and blocks are written at once; a table is written after the last row has arrived.
 */
export async function showRows<Row>(
  { stdout, json }: Pick<CommandContext, 'stdout' | 'json'>,
  rows: AsyncIterable<Row> | readonly Row[],
  how: How<Row>,
): Promise<void> {
  if (json) for await (const row of rows) await writeJsonLine(stdout, row);
  else if (how.text) await showBlocks(stdout, rows, how.text, how.empty);
  else {
    const all = await allOf(rows);
    if (all.length === 0) await write(stdout, `${how.empty}\n`);
    else await showFitted(all, how.columns(nowOn(stdout)), stdout, how);
  }
}

async function showBlocks<Row>(
  stdout: CommandContext['stdout'],
  rows: AsyncIterable<Row> | readonly Row[],
  text: (row: Row) => string,
  empty: string,
): Promise<void> {
  let isFirst = true;
  for await (const row of rows) {
    await write(stdout, `${isFirst ? '' : '\n'}${text(row)}`);
    isFirst = false;
  }
  if (isFirst) await write(stdout, `${empty}\n`);
}

type Counter = { rows: number; next: NextPage };

/** Yields the rows unchanged. Counts the rows, and notes the cursor of the next page. */
export async function* counted<Row>(
  rows: AsyncGenerator<Row, NextPage>,
  counter: Counter,
): AsyncGenerator<Row> {
  let step = await rows.next();
  for (; !step.done; step = await rows.next()) {
    counter.rows += 1;
    yield step.value;
  }
  counter.next = step.value;
}

/**
 * Says if more rows exist. Even if the last page was full, there may be no more rows, so the next row is requested
 * first.
 */
export async function sayIfMore<Row, Answer extends { readonly next: NextPage }>(
  { stderr }: Pick<CommandContext, 'stderr'>,
  api: ApiClient,
  list: PagedList<Row, Answer>,
  { rows, next }: Counter,
): Promise<void> {
  if (next === null || (await allOf(rowsOf(api, list, 1, next))).length === 0) return;
  await write(stderr, moreText(rows, { otherwise: `--cursor ${next}` }));
}

/** @param otherwise another way to see more rows @param max the highest limit */
export function moreText(shown: number, { otherwise = '', max = MAX_LIMIT } = {}): string {
  const limit = shown < max ? `--limit ${Math.min(shown * 10, max)}` : '';
  const ways = [limit, otherwise].filter((way) => way !== '').join(', or ');
  return `mandate: note: ${shown} of more than ${shown} shown${ways === '' ? '' : `; for more: ${ways}`}\n`;
}
