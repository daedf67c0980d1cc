import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { type ApiProblem, get, withQuery } from './api.ts';

/**
 * Reads a route once. It is read again only when a person asks or something changed, because the audit records each
 * read.
 *
 * @param path null reads nothing
 */
export function useRead<Body>(path: string | null): UseQueryResult<Body, ApiProblem> {
  return useQuery<Body, ApiProblem>({
    queryKey: ['read', path],
    queryFn: () => get<Body>(path ?? ''),
    enabled: path !== null,
    placeholderData: keepPreviousData,
  });
}

/**
 * The length of the first page and of further pages. Most people look at the first rows only. A person who continues
 * wants many rows.
 */
const FIRST_ROWS = 100;
const FURTHER_ROWS = 500;
/** How long a list is kept after its page was left, for people who come back at once. */
const KEPT_MS = 30_000;

/** Reads a list page by page: the first page at once, each further page when `fetchNextPage` is called. */
export function useReadList<Body extends { next: string | null }>(
  path: string,
  parameters: Readonly<Record<string, string | undefined>>,
): UseInfiniteQueryResult<InfiniteData<Body>, ApiProblem> {
  return useInfiniteQuery<Body, ApiProblem, InfiniteData<Body>, readonly unknown[], string | undefined>({
    queryKey: ['list', path, parameters],
    queryFn: ({ pageParam: cursor }) => {
      const limit = cursor === parameters.cursor ? FIRST_ROWS : FURTHER_ROWS;
      return get<Body>(withQuery(path, { ...parameters, cursor, limit }));
    },
    initialPageParam: parameters.cursor,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: KEPT_MS,
  });
}

/** Reads the shown data again. A list begins at its first page again. */
export function readAgain(queries: QueryClient): void {
  queries.setQueriesData<InfiniteData<unknown>>({ queryKey: ['list'] }, (list) =>
    list === undefined ? list : { pages: list.pages.slice(0, 1), pageParams: list.pageParams.slice(0, 1) },
  );
  for (const kind of ['read', 'list']) void queries.invalidateQueries({ queryKey: [kind] });
}
