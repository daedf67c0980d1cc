import type { Output } from '../command-context.ts';
import { type Column, table } from './table.ts';
import { write } from './write.ts';

/** As the plane answered. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Columns for rows of whatever shape, from the first row's fields. Of an amount that stands there in both forms, people
 * read the dollars; a place on the log is for machines; a column that is empty in every row tells nothing.
 */
export function answerColumns(rows: readonly Row[]): readonly Column<Row>[] {
  const [first = {}] = rows;
  const names = Object.keys(first).filter(
    (name) =>
      !(name.endsWith('Micros') && name.slice(0, -'Micros'.length) in first) &&
      name !== 'log' &&
      rows.some((row) => row[name] !== null),
  );
  return names.map((name) => ({
    title: name.replace(/([A-Z])/g, ' $1').toUpperCase(),
    of: (row) => String(row[name] ?? ''),
    align: typeof first[name] === 'number' || `${name}Micros` in first ? 'right' : 'left',
  }));
}

/** Rows as the plane gave them, as a table. */
export async function showAnswerRows(rows: readonly Row[], stdout: Output): Promise<void> {
  await write(stdout, rows.length === 0 ? 'nothing found\n' : table(rows, answerColumns(rows), stdout));
}
