/** Every table of the console. */
import type { ReactNode } from 'react';
import styles from './parts.module.css';
import { Empty } from './problem.tsx';

export type Column<Row> = {
  head: string;
  cell: (row: Row) => ReactNode;
  /**
   * The kinds of cells. Numbers are aligned to the right. Wide cells have space for long words, and text cells for a
   * sentence. Code has a font with letters of one width.
   */
  look?: 'number' | 'wide' | 'text' | 'code' | 'wide code';
  /** True if the cell is the name of its row, for screen readers. */
  isHead?: boolean;
  /** True if only screen readers need the heading. */
  isHeadHidden?: boolean;
  /** True if the cell is clear without its heading, so that it has no heading on a phone. */
  isClear?: boolean;
};

const CLASSES = {
  number: 'number',
  wide: 'wide',
  text: 'wide',
  code: 'mono',
  'wide code': 'mono wide',
} as const;

export type TableOf<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** A text that is different for each row. */
  nameOf: (row: Row, index: number) => string;
};

/**
 * On a phone, a row is a card. A table of compared columns stays a table.
 *
 * @param isGrid a table of compared columns
 * @param across the content of a row that fills all columns. Null: the row has its cells
 * @param empty shown instead of a table without rows
 */
export function Table<Row>({
  label,
  columns,
  rows,
  nameOf,
  across,
  empty,
  isGrid = false,
}: TableOf<Row> & { across?: (row: Row) => ReactNode; empty?: ReactNode; isGrid?: boolean }) {
  if (rows.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>;
  const look = isGrid ? styles.scroll : `${styles.scroll} ${styles.cards}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is too wide must be scrolled by the keyboard too
    <section className={look} aria-label={`Table: ${label}`} tabIndex={0}>
      <table>
        <Head columns={columns} />
        <tbody>
          {rows.map((row, index) => {
            const whole = across?.(row) ?? null;
            return (
              <tr key={nameOf(row, index)}>
                {whole === null ? (
                  columns.map((column) => <Cell key={column.head} column={column} row={row} />)
                ) : (
                  <td colSpan={columns.length}>{whole}</td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

export function Head<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ head, look, isHeadHidden }) => (
          <th key={head} scope="col" className={look === 'number' ? 'number' : undefined} data-look={look}>
            {isHeadHidden ? <span className="visually-hidden">{head}</span> : head}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export function Cell<Row>({
  column: { head, cell, look, isHead, isHeadHidden = false, isClear = isHeadHidden },
  row,
}: {
  column: Column<Row>;
  row: Row;
}) {
  if (isHead) return <th scope="row">{cell(row)}</th>;
  return (
    <td className={look === undefined ? undefined : CLASSES[look]} data-head={isClear ? undefined : head}>
      {cell(row)}
    </td>
  );
}
