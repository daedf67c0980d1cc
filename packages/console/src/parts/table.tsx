/** Every table of the console. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import styles from './parts.module.css';
import { Empty } from './problem.tsx';

export type Column<Row> = {
  head: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. Wide cells keep room for long words, and text for a sentence. Code has letters of one width. */
  look?: 'number' | 'wide' | 'text' | 'code' | 'wide code';
  /** The cell names its row, for people who do not see the table. */
  isHead?: boolean;
  /** Only people who do not see the table need the heading. */
  isHeadHidden?: boolean;
};

const CLASSES = {
  number: 'number',
  wide: 'wide',
  text: 'wide',
  code: 'mono',
  'wide code': 'mono wide',
} as const;

type Given<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** A text that is different for each row. */
  nameOf: (row: Row, index: number) => string;
};

/**
 * @param across what a row shows across all columns. Null: the row has its cells
 * @param empty shown instead of a table without rows
 */
export function Table<Row>({
  label,
  columns,
  rows,
  nameOf,
  across,
  empty,
}: Given<Row> & { across?: (row: Row) => ReactNode; empty?: ReactNode }) {
  if (rows.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is too wide must be scrolled by the keyboard too
    <section className={styles.scroll} aria-label={`Table: ${label}`} tabIndex={0}>
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

/** The height of each row of a long table, in pixels. The style `long` has it too. */
const ROW_PX = 36;
/** Rows above and below the screen. The keys j and k need a next row, and a fast scroll shows no gap. */
const OVERSCAN = 20;

/**
 * A table for very many rows. Only those on the screen are in the document, so each row has one line.
 *
 * @param onEnd called when the last row comes near. Null: there are no further rows
 */
export function LongTable<Row>({
  label,
  columns,
  rows,
  nameOf,
  onEnd,
}: Given<Row> & { onEnd: (() => void) | null }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  const shown = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    scrollMargin: top,
  });
  useLayoutEffect(() => {
    if (body.current !== null) setTop(Math.round(body.current.getBoundingClientRect().top + scrollY));
  });
  const items = shown.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? -1];
  useEffect(() => {
    if (last >= rows.length - OVERSCAN) onEnd?.();
  }, [last, rows.length, onEnd]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is too wide must be scrolled by the keyboard too
    <section className={`${styles.scroll} ${styles.long}`} aria-label={`Table: ${label}`} tabIndex={0}>
      <table aria-rowcount={onEnd === null ? rows.length + 1 : -1}>
        <Head columns={columns} />
        <tbody ref={body}>
          <Gap rows={first} columns={columns.length} />
          {rows.slice(first, last + 1).map((row, at) => (
            <tr key={nameOf(row, first + at)} aria-rowindex={first + at + 2}>
              {columns.map((column) => (
                <Cell key={column.head} column={column} row={row} />
              ))}
            </tr>
          ))}
          <Gap rows={rows.length - last - 1} columns={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

/** The room of rows that are not in the document. */
function Gap({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden className={styles.gap} style={{ height: rows * ROW_PX }}>
      <td colSpan={columns} />
    </tr>
  );
}

function Head<Row>({ columns }: { columns: readonly Column<Row>[] }) {
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

function Cell<Row>({ column: { cell, look, isHead }, row }: { column: Column<Row>; row: Row }) {
  if (isHead) return <th scope="row">{cell(row)}</th>;
  return <td className={look === undefined ? undefined : CLASSES[look]}>{cell(row)}</td>;
}
