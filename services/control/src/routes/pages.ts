/** Pages of resources, ordered by id. */

import { described, id } from '@mandate/schemas';
import { nextCursor, pageCursor } from '@mandate/server';
import { z } from 'zod';
import { limit } from './shapes.ts';

/** The highest number of JSON characters in the rows of a page. Pages of large documents have fewer rows. */
const PAGE_UNITS = 8 * 1024 * 1024;

/**
 * Returns as many rows as fit into a page, at most `limit`. If not all rows fit, the returned `limit` is the number
 * of rows in the page, so that the cursor shows that more rows follow.
 */
export function pageOf<Row>(rows: readonly Row[], limit: number): { page: Row[]; limit: number } {
  const page: Row[] = [];
  let units = 0;
  for (const row of rows.slice(0, limit)) {
    units += JSON.stringify(row).length;
    if (page.length > 0 && units > PAGE_UNITS) return { page, limit: page.length };
    page.push(row);
  }
  return { page, limit };
}

/** @param list the name of the list in the answer and in cursors */
export function pagesById<List extends string, Row extends z.ZodType>(list: List, row: Row) {
  const cursor = pageCursor(list, z.tuple([id]));
  return {
    querystring: z.strictObject({ limit, cursor: cursor.parameter }),
    response: z.object({
      [list]: described(z.array(row), `One page of ${list}, by id.`),
      next: nextCursor,
    } as Record<List, z.ZodArray<Row>> & {
      next: typeof nextCursor;
    }),
    /** Returns the rows after the cursor, in the order of their ids. */
    page<Kept>(
      kept: ReadonlyMap<string, Kept>,
      asked: { limit: number; cursor?: [string] | undefined },
      shown: (kept: Kept, id: string) => z.output<Row>,
    ) {
      const [after = ''] = asked.cursor ?? [];
      const ids = [...kept.keys()]
        .filter((one) => one > after)
        .sort()
        .slice(0, asked.limit);
      const { page, limit } = pageOf(
        ids.map((one) => shown(kept.get(one) as Kept, one)),
        asked.limit,
      );
      const next = cursor.next(ids.slice(0, page.length), limit, (one) => [one]);
      return { [list]: page, next } as Record<List, z.output<Row>[]> & {
        next: string | null;
      };
    },
  };
}
