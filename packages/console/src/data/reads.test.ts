import { ROUTE_RECORDS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { isRecorded } from './reads.ts';

test('knows for each route, with and without parameters, whether its reads are recorded', () => {
  const wrong = ROUTE_RECORDS.flatMap(({ topics, routes }) =>
    routes
      .filter((route) => route.startsWith('GET '))
      .map((route) => route.slice('GET '.length).replaceAll(/\{\w+\}/g, 'some%2Fid'))
      .flatMap((path) => [path, `${path}?limit=1`])
      .filter((path) => isRecorded(path) !== topics.includes('access')),
  );
  expect(wrong).toEqual([]);
});
