/** A table for very many rows. Its library is loaded only with pages that have such a table. */
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import styles from './parts.module.css';
import { Cell, type Column, Head, type TableOf } from './table.tsx';

/** The height of each row of a long table, in pixels. The CSS class `long` has the same height. */
const ROW_PX = 36;
/** Additional rows above and below the screen. The keys j and k need a next row, and a fast scroll must show no gap. */
const OVERSCAN = 20;

/**
 * A table for very many rows. Only the rows on the screen are in the document, so each row has one line.
 *
 * @param onEnd called when the last row comes near. Null: there are no further rows
 */
export function LongTable<Row>({
  label,
  columns,
  rows,
  nameOf,
  onEnd,
}: TableOf<Row> & { onEnd: (() => void) | null }) {
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
            <Line key={nameOf(row, first + at)} columns={columns} row={row} index={first + at} />
          ))}
          <Gap rows={rows.length - last - 1} columns={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

type LineOf<Row> = { columns: readonly Column<Row>[]; row: Row; index: number };

/** A row. While the table is scrolled, only rows that come onto the screen are rendered. */
const Line = memo(function Line<Row>({ columns, row, index }: LineOf<Row>) {
  return (
    <tr aria-rowindex={index + 2}>
      {columns.map((column) => (
        <Cell key={column.head} column={column} row={row} />
      ))}
    </tr>
  );
}) as <Row>(props: LineOf<Row>) => ReactNode;

/** The space of rows that are not in the document. */
function Gap({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden className={styles.gap} style={{ height: rows * ROW_PX }}>
      <td colSpan={columns} />
    </tr>
  );
}
