import type { Output } from '../command-context.ts';
import { fitColumns } from './fit-columns.ts';
import { type Column, paint, table } from './table.ts';
import { write } from './write.ts';

/** The characters of a line: as many as a terminal shows, and without a limit elsewhere. */
export function roomOn(stdout: Output): number {
  return (stdout.isTTY && stdout.columns) || Number.POSITIVE_INFINITY;
}

/** The time from which a terminal says how long ago something was. Null elsewhere, where times are exact. */
export function nowOn(stdout: Output): number | null {
  return roomOn(stdout) === Number.POSITIVE_INFINITY ? null : Date.now();
}

/**
 * Shows a table as wide as the terminal, or in full elsewhere. Below the table are the notes, and the columns without room.
 *
 * @param rest where those columns are to be had
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
