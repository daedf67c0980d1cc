/** Formats rows as aligned text, with numbers on the right. Only a terminal gets colours. NO_COLOR turns them off. */
import { styleText } from 'node:util';
import { printable } from './printable.ts';

export type Column<Row> = {
  title: string;
  of(row: Row): string;
  align?: 'left' | 'right';
  /** Colours the text of a cell, which is already padded to the width of its column. */
  style?(row: Row, text: string): string;
  /** True for ids and reasons. A narrow terminal shows such a column before all others. */
  keep?: true;
  /** True if the text may be shortened. Texts that people copy, count or compare must stay whole. */
  cut?: true;
  /** True if the column is shown only when all other columns are shown whole. */
  extra?: true;
  /** Columns with a lower rank get room first. If absent, the rank is the index of the column in the table. */
  rank?: number;
};

export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  stream: NodeJS.WritableStream,
): string {
  const texts = rows.map((row) => columns.map((column) => printable(column.of(row))));
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...texts.map((row) => row[at]?.length ?? 0)),
  );
  const title = columns.map((column, at) => padded(column.title, widths[at], column.align)).join('  ');
  const lines = rows.map((row, line) =>
    columns
      .map(({ align, style }, at) => {
        const text = padded(texts[line]?.[at] ?? '', widths[at], align);
        return style === undefined ? text : style(row, text);
      })
      .join('  '),
  );
  return `${[paint('dim', title, stream), ...lines].map((line) => line.trimEnd()).join('\n')}\n`;
}

export function paint(
  style: Parameters<typeof styleText>[0],
  text: string,
  stream: NodeJS.WritableStream,
): string {
  return styleText(style, text, { stream, validateStream: true });
}

function padded(text: string, width = 0, align: 'left' | 'right' = 'left'): string {
  return align === 'left' ? text.padEnd(width) : text.padStart(width);
}
