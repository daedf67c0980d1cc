/** A table for a terminal of so many characters: the columns that matter most are taken first, and texts are cut. */
import { printable } from './printable.ts';
import type { Column } from './table.ts';

export type FittingColumn<Row> = Column<Row> & {
  /** Whether it may be cut: what people copy, count or compare may not. */
  cuttable: boolean;
  /** The lower, the sooner it is taken. */
  rank: number;
  /** Whether it is shown in full before any that is not foremost is shown at all. */
  foremost: boolean;
};

/** Between two columns. */
const GAP = 2;

/** A text that is cut to less tells nothing. */
const LEAST = 12;

/** `leftOut`: the titles of those for which there is no room. The first by rank is always there. */
export function fitColumns<Row>(
  rows: readonly Row[],
  columns: readonly FittingColumn<Row>[],
  room: number,
): { columns: readonly Column<Row>[]; leftOut: readonly string[] } {
  const wanted = columns.map((column) => {
    const width = Math.max(column.title.length, ...rows.map((row) => printable(column.of(row)).length));
    const least = column.cuttable ? Math.min(width, Math.max(column.title.length, LEAST)) : width;
    return { column, width, least, given: 0 };
  });
  const byRank = wanted.toSorted((one, other) => one.column.rank - other.column.rank);
  let left = room + GAP;
  for (const foremost of [true, false]) {
    const alike = byRank.filter(({ column }) => column.foremost === foremost);
    for (const want of alike) {
      if (want !== byRank[0] && want.least + GAP > left) continue;
      want.given = want.least;
      left -= want.least + GAP;
    }
    for (const want of alike.filter(({ given }) => given > 0)) {
      const more = Math.min(want.width - want.given, Math.max(left, 0));
      want.given += more;
      left -= more;
    }
  }
  return {
    columns: wanted
      .filter(({ given }) => given > 0)
      .map(({ column, given }) => ({ ...column, of: (row: Row) => cut(printable(column.of(row)), given) })),
    leftOut: wanted.filter(({ given }) => given === 0).map(({ column }) => column.title),
  };
}

/** As much of a text as so many characters hold. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const kept = text.slice(0, width - 1);
  // Half a character, which a cut may leave at the end, would be spelt out, and that takes more room.
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
}
