import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiProblem } from '../data/api.ts';
import { Loading, Problem } from './problem.tsx';

/** Shows what was read, or that it loads, or why it could not be read. What was read before stays in sight. */
export function Read<Body>({
  of: { data, error, refetch },
  what,
  children,
}: {
  of: UseQueryResult<Body, ApiProblem> | UseInfiniteQueryResult<Body, ApiProblem>;
  what: string;
  children: (body: Body) => ReactNode;
}) {
  return (
    <>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data !== undefined ? children(data) : error === null && <Loading what={what} />}
    </>
  );
}

/** True if the plane has nothing with this id, or if there can be none. */
export function isMissing({ error }: UseQueryResult<unknown, ApiProblem>): boolean {
  return error?.status === 404 || error?.status === 400;
}
