/** Reads lists of the plane page by page. */
import type { ApiClient, Query } from './api-client.ts';

/** The value that requests the next page of a list. Null after the last page. */
export type NextPage = string | number | null;

type Page = { readonly next: NextPage };

/** How to request a list. `cursor`: the name of the parameter for the value `next` of the previous page. */
export type PagedList<Row, Answer extends Page> = {
  path: string;
  query?: Query;
  cursor: string;
  pageSize: number;
  rows(answer: Answer): readonly Row[];
};

/**
 * Yields at most `limit` rows of a list, page after page. Returns the value that requests the next row, or null at
 * the end of the list.
 *
 * @param from requests the first row to yield; absent: the first row of the list
 */
export async function* rowsOf<Row, Answer extends Page>(
  api: ApiClient,
  list: PagedList<Row, Answer>,
  limit = Number.POSITIVE_INFINITY,
  from?: string | number,
): AsyncGenerator<Row, NextPage> {
  let next: NextPage = from ?? null;
  let left = limit;
  do {
    const answer: Answer = await api.get<Answer>(list.path, {
      ...list.query,
      limit: Math.min(left, list.pageSize),
      [list.cursor]: next ?? undefined,
    });
    const rows = list.rows(answer);
    yield* rows;
    left -= rows.length;
    next = answer.next;
  } while (next !== null && left > 0);
  return next;
}

/** Reads all rows into an array. */
export async function allOf<Row>(rows: AsyncIterable<Row> | readonly Row[]): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
