/**
 * Fits a table to the width of a terminal: the most important columns get room first, and long texts are shortened.
 */
import { printable } from './printable.ts';
import type { Column } from './table.ts';

/** The characters between two columns. */
const GAP = 2;

/**
 * The fewest characters of a shortened text, of a text that must be kept, and of a kept text on a very narrow
 * terminal.
 */
const LEAST = 8;
const LEAST_KEPT = 24;
const LEAST_READ = 12;

/**
 * Chooses the columns that fit into a line. Columns with `keep` get room first. The other columns follow by rank, and
 * columns with `extra` come last. Returns the chosen columns, and the titles of the columns without room.
 *
 * @param room the number of characters in a line
 */
export function fitColumns<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  room: number,
): { columns: readonly Column<Row>[]; leftOut: readonly string[] } {
  const wanted = columns.map((column, place) => {
    const width = Math.max(column.title.length, ...rows.map((row) => printable(column.of(row)).length));
    const fewest = Math.max(column.title.length, column.keep ? LEAST_KEPT : LEAST);
    const least = column.cut ? Math.min(width, fewest) : width;
    return { column, width, least, rank: column.rank ?? place, given: 0 };
  });
  const byRank = wanted.toSorted((one, other) => one.rank - other.rank);
  const kept = byRank.filter(({ column }) => column.keep);
  const others = byRank.filter(({ column }) => !column.keep && !column.extra);
  let left = room + GAP;
  const give = (wants: typeof wanted, isKept: boolean) => {
    for (const want of wants) {
      if (!isKept && want.least + GAP > left) continue;
      const isTight = isKept && want.column.cut && want.least + GAP > left;
      want.given = isTight ? Math.min(want.least, Math.max(LEAST_READ, left - GAP)) : want.least;
      left -= want.given + GAP;
    }
  };
  const widen = (wants: typeof wanted) => {
    for (const want of wants.filter(({ given }) => given > 0)) {
      const more = Math.min(want.width - want.given, Math.max(left, 0));
      want.given += more;
      left -= more;
    }
  };
  give(kept, true);
  give(others, false);
  widen([...kept, ...others]);
  const extra = byRank.filter(({ column }) => column.extra);
  give(extra, false);
  widen(extra);
  return {
    columns: wanted
      .filter(({ given }) => given > 0)
      .map(({ column, given }) => ({ ...column, of: (row: Row) => cut(printable(column.of(row)), given) })),
    leftOut: wanted.filter(({ given }) => given === 0).map(({ column }) => column.title),
  };
}

/** Returns the first characters of a text, at most `width`. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const kept = text.slice(0, width - 1);
  // The cut may split a surrogate pair. Half of a pair is removed, because escaping it takes more room.
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
}
