import type { ReactNode } from 'react';
import { useRead } from '../data/read.ts';
import { Read } from './read.tsx';
import { Section } from './section.tsx';
import { type Column, Table } from './table.tsx';

/**
 * A section with the list of one route, as a table.
 *
 * @param list the name of the list in the answer
 * @param what the list in words, for people who wait for it. Default: its name
 */
export function ListSection<Row>({
  heading,
  path,
  list,
  what = list,
  after,
  ...table
}: {
  heading: string;
  path: string;
  list: string;
  what?: string;
  columns: readonly Column<Row>[];
  nameOf: (row: Row) => string;
  empty: ReactNode;
  /** Stands below the table. */
  after?: ReactNode;
}) {
  const read = useRead<Listed>(path);
  return (
    <Section heading={heading}>
      <Read of={read} what={what}>
        {(answer) => (
          <>
            <Table {...table} label={heading} rows={answer[list] as readonly Row[]} />
            {answer.next != null && <p className="quiet">There are more than these.</p>}
            {after}
          </>
        )}
      </Read>
    </Section>
  );
}

type Listed = { next?: string | null } & Readonly<Record<string, unknown>>;
