import { allOf } from '@mandate/client';
import type { Output } from '../command-context.ts';
import type { FittingColumn } from './fit-columns.ts';
import { showFitted } from './show-fitted.ts';
import { type Column, table } from './table.ts';
import { write, writeJsonLine } from './write.ts';

type How<Row> = { json: boolean; empty: string } & (
  | { columns: readonly Column<Row>[]; rest?: never }
  /** Fitted to the terminal; `rest`: where what it has no room for is to be had. */
  | { columns: readonly FittingColumn<Row>[]; rest: string }
);

/** A list of long things: as JSON one a line; as text one block each, as they come, or `empty` where there is nothing. */
export async function showEach<Row>(
  stdout: Output,
  rows: AsyncIterable<Row>,
  { json, text, empty }: { json: boolean; text: (row: Row) => string; empty: string },
): Promise<void> {
  let isFirst = true;
  for await (const row of rows) {
    if (json) await writeJsonLine(stdout, row);
    else await write(stdout, `${isFirst ? '' : '\n'}${text(row)}`);
    isFirst = false;
  }
  if (isFirst && !json) await write(stdout, `${empty}\n`);
}

/** A list: as JSON one row a line, as they come; as text one table, or `empty` where there is nothing. */
export async function showRows<Row>(stdout: Output, rows: AsyncIterable<Row>, how: How<Row>): Promise<void> {
  if (how.json) {
    for await (const row of rows) await writeJsonLine(stdout, row);
    return;
  }
  const all = await allOf(rows);
  if (all.length === 0) await write(stdout, `${how.empty}\n`);
  else if (how.rest === undefined) await write(stdout, table(all, how.columns, stdout));
  else await showFitted(all, how.columns, stdout, how);
}
