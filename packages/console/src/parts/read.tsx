import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApiProblem } from '../data/api.ts';
import { Loading, Problem } from './problem.tsx';

/** Shows the data, or that they load, or why they could not be read. Data that were read before stay visible. */
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

/** True if the plane has nothing with this id, or if the id is impossible. */
export function isMissing({ error }: UseQueryResult<unknown, ApiProblem>): boolean {
  return error?.status === 404 || error?.status === 400;
}
