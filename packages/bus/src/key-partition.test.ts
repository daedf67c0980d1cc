import { describe, expect, test } from 'vitest';
import { keyPartition, murmur2 } from './key-partition.ts';

describe('keyPartition', () => {
  // These values come from Kafka's own unit tests of its hash.
  test.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
    ['abc', 479470107],
  ])('computes murmur2 of %s', (key, hash) => {
    expect(murmur2(Buffer.from(key))).toBe(hash);
  });

  // The results of `Utils.murmur2` and `BuiltInPartitioner.partitionForKey` of Kafka 4.1, for 8 and for 12
  // partitions.
  test.each([
    ['', 275646681, 1, 9],
    ['a', -1563381124, 4, 4],
    ['ab', 316155434, 2, 2],
    ['abc', 479470107, 3, 3],
    ['abcd', -1323649548, 4, 8],
    ['abcde', 461995741, 5, 1],
    ['default/airline-007', -1217908070, 2, 6],
    ['acme/agent-1', -725837567, 1, 9],
    ['größe/✓', 570980685, 5, 9],
    ['🚀', 761778625, 1, 1],
    ['default/agent \u0000 nul', 518505335, 7, 11],
  ])('returns the same hash and partitions as Kafka for %j', (key, hash, ofEight, ofTwelve) => {
    expect(murmur2(Buffer.from(key))).toBe(hash);
    expect([keyPartition(key, 8), keyPartition(key, 12)]).toEqual([ofEight, ofTwelve]);
  });

  test('counts bytes above 127 as Java does', () => {
    expect(murmur2(Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)))).toBe(-1948347274);
  });

  test('drops the sign bit before it computes the remainder', () => {
    expect(keyPartition('21', 1000)).toBe((-973932308 & 0x7fffffff) % 1000);
  });

  test('hashes keys as UTF-8', () => {
    expect(keyPartition('größe', 1 << 30)).toBe(
      (murmur2(Buffer.from('größe', 'utf8')) & 0x7fffffff) % (1 << 30),
    );
  });
});
