/** Lists that come in pages. */
import type { ApiClient, Query } from './api-client.ts';

type Page = { readonly next: string | number | null };

/**
 * Yields the rows of a list, page after page, up to `limit`.
 *
 * @param list how to ask for the list: `cursor` is the name of the parameter that takes `next` of the page before
 */
export async function* rowsOf<Row, Answer extends Page>(
  api: ApiClient,
  list: {
    path: string;
    query?: Query;
    cursor: string;
    pageSize: number;
    rows(answer: Answer): readonly Row[];
  },
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Row> {
  let next: string | number | undefined;
  let left = limit;
  do {
    const answer: Answer = await api.get<Answer>(list.path, {
      ...list.query,
      limit: Math.min(left, list.pageSize),
      [list.cursor]: next,
    });
    const rows = list.rows(answer);
    yield* rows;
    left -= rows.length;
    next = answer.next ?? undefined;
  } while (next !== undefined && left > 0);
}

/** Collects all rows into a list. */
export async function allOf<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}
