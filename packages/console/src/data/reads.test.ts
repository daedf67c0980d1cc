import { ROUTE_RECORDS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { isRecorded } from './reads.ts';

test('knows which routes record a read, with and without parameters', () => {
  const wrong = ROUTE_RECORDS.flatMap(({ topics, routes }) =>
    routes
      .filter((route) => route.startsWith('GET '))
      .map((route) => route.slice('GET '.length).replaceAll(/\{\w+\}/g, 'some%2Fid'))
      .flatMap((path) => [path, `${path}?limit=1`])
      .filter((path) => isRecorded(path) !== topics.includes('access')),
  );
  expect(wrong).toEqual([]);
});
