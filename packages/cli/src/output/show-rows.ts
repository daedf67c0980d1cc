import type { Output } from '../command-context.ts';
import { allOf } from '../pages.ts';
import { type Column, table } from './table.ts';
import { write, writeJsonLine } from './write.ts';

/** A list: as JSON one row a line, as they come; as text one table, or `empty` where there is nothing. */
export async function showRows<Row>(
  stdout: Output,
  rows: AsyncIterable<Row>,
  how: { json: boolean; columns: readonly Column<Row>[]; empty: string },
): Promise<void> {
  if (how.json) {
    for await (const row of rows) await writeJsonLine(stdout, row);
    return;
  }
  const all = await allOf(rows);
  await write(stdout, all.length === 0 ? `${how.empty}\n` : table(all, how.columns, stdout));
}
