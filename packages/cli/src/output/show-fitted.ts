import type { Output } from '../command-context.ts';
import { fitColumns } from './fit-columns.ts';
import { type Column, paint, table } from './table.ts';
import { write } from './write.ts';

/** Returns the width of a line in characters: the columns of a terminal. Infinite for other output. */
export function roomOn(stdout: Output): number {
  return (stdout.isTTY && stdout.columns) || Number.POSITIVE_INFINITY;
}

/**
 * Returns the current time if the output is a terminal, which shows how long ago something was. Otherwise null,
 * because other output needs exact times.
 */
export function nowOn(stdout: Output): number | null {
  return roomOn(stdout) === Number.POSITIVE_INFINITY ? null : Date.now();
}

/**
 * Shows a table. On a terminal the table fits the width; elsewhere it is complete. Notes and the titles of the
 * columns without room come below the table.
 *
 * @param rest how a person can see the columns without room
 */
export async function showFitted<Row>(
  rows: readonly Row[],
  all: readonly Column<Row>[],
  stdout: Output,
  { notes = [], rest = '--json has all' }: { notes?: readonly string[]; rest?: string } = {},
): Promise<void> {
  const { columns, leftOut } = fitColumns(rows, all, roomOn(stdout));
  await write(stdout, table(rows, columns, stdout));
  const missed = leftOut.length > 0 ? [`no room for ${leftOut.join(', ')}: ${rest}`] : [];
  for (const note of [...notes, ...missed]) await write(stdout, `${paint('dim', note, stdout)}\n`);
}
