import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ApiProblem, get } from './api.ts';

/**
 * Reads a route once. It is read again only when a person asks or something changed, because each read is on record.
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
