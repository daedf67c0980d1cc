import { expect, test } from 'vitest';
import { passedHeaders } from './passed-headers.ts';

test('keeps spelling, order and repeated headers, and leaves out headers of the connection', () => {
  const raw = [
    ...['Host', 'a', 'X-One', '1', 'Connection', 'keep-alive, X-Hop', 'x-hop', '2'],
    ...['Transfer-Encoding', 'chunked', 'x-ONE', '3', 'Secret', 'k'],
  ];
  expect(passedHeaders(raw, (name) => name !== 'secret')).toEqual(['Host', 'a', 'X-One', '1', 'x-ONE', '3']);
});
