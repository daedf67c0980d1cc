/** Pages of what is kept by id. */
import { nextCursor, pageCursor } from '@mandate/runtime';
import { id } from '@mandate/schemas';
import { z } from 'zod';
import { limit } from './shapes.ts';

/** @param list its name in the answer, and in its cursors */
export function pagesById<List extends string, Row extends z.ZodType>(list: List, row: Row) {
  const cursor = pageCursor(list, z.tuple([id]));
  return {
    querystring: z.strictObject({ limit, cursor: cursor.parameter }),
    response: z.object({ [list]: z.array(row), next: nextCursor } as Record<List, z.ZodArray<Row>> & {
      next: typeof nextCursor;
    }),
    /** Those behind the cursor, by id. */
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
      const rows = ids.map((one) => shown(kept.get(one) as Kept, one));
      return { [list]: rows, next: cursor.next(ids, asked.limit, (one) => [one]) } as Record<
        List,
        z.output<Row>[]
      > & {
        next: string | null;
      };
    },
  };
}
