import { expect, test } from 'vitest';
import { usedShareIn } from './used-share.ts';

test('computes the used share of a server as the server itself does', () => {
  const told =
    'used_memory:700\r\nused_memory_rss:900\r\nmaxmemory:1000\r\nmem_not_counted_for_evict:100\r\n';
  expect(usedShareIn(told)).toBe(0.6);
});

test('returns no share for a server without a limit', () => {
  expect(usedShareIn('used_memory:700\r\nmaxmemory:0\r\n')).toBeNull();
  expect(usedShareIn('')).toBeNull();
});
