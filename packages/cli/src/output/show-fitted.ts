import type { Output } from '../command-context.ts';
import { type FittingColumn, fitColumns } from './fit-columns.ts';
import { paint, table } from './table.ts';
import { write } from './write.ts';

/** How many characters a line may take: on a terminal, as many as that shows. */
export function roomOn(stdout: Output): number {
  return (stdout.isTTY && stdout.columns) || Number.POSITIVE_INFINITY;
}

/** Against which a terminal says how long ago something was; null elsewhere, where times are exact. */
export function nowOn(stdout: Output): number | null {
  return roomOn(stdout) === Number.POSITIVE_INFINITY ? null : Date.now();
}

/**
 * A table, on a terminal as wide as that is, elsewhere with everything in full; below it `notes`, and what there is no
 * room for. `rest`: where that is to be had.
 */
export async function showFitted<Row>(
  rows: readonly Row[],
  all: readonly FittingColumn<Row>[],
  stdout: Output,
  { notes = [], rest }: { notes?: readonly string[]; rest: string },
): Promise<void> {
  const { columns, leftOut } = fitColumns(rows, all, roomOn(stdout));
  await write(stdout, table(rows, columns, stdout));
  const missed = leftOut.length > 0 ? [`no room for ${leftOut.join(', ')}: ${rest}`] : [];
  for (const note of [...notes, ...missed]) await write(stdout, `${paint('dim', note, stdout)}\n`);
}
