import { describe, expect, test } from 'vitest';
import { keyPartition, murmur2 } from './key-partition.ts';

describe('a key names its partition as Kafka does', () => {
  // From Kafka's own unit tests of its hash.
  test.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('murmur2 of %s', (key, hash) => {
    expect(murmur2(Buffer.from(key))).toBe(hash);
  });

  test('the sign bit is dropped before the remainder', () => {
    expect(keyPartition('21', 1000)).toBe((-973932308 & 0x7fffffff) % 1000);
  });

  test('keys are hashed as UTF-8', () => {
    expect(keyPartition('größe', 1 << 30)).toBe(
      (murmur2(Buffer.from('größe', 'utf8')) & 0x7fffffff) % (1 << 30),
    );
  });
});
