import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decompressLz4 } from './lz4.ts';
import { decompressSnappy } from './snappy.ts';

// The test text. Kafka 4.1's own `Compression` class compressed this text.
const TEXT = `${'{"event":"action.requested"} '.repeat(3)}${'a'.repeat(68)} größe ✓`;
const LZ4 = 'BCJNGGBAgjQAAAD/DnsiZXZlbnQiOiJhY3Rpb24ucmVxdWVzdGVkIn0gHQAnH2EBADDAIGdyw7bDn2Ug4pyTAAAAAA==';
const SNAPPY =
  'glNOQVBQWQAAAAABAAAAAQAAADenAXB7ImV2ZW50IjoiYWN0aW9uLnJlcXVlc3RlZCJ9IOYdAABh7gEADQEsIGdyw7bDn2Ug4pyT';

describe.each([
  ['LZ4', decompressLz4, Buffer.from(LZ4, 'base64')],
  ['snappy', decompressSnappy, Buffer.from(SNAPPY, 'base64')],
])('codec %s', (_, decompress, compressed) => {
  test('reads what a Java producer writes', () => {
    expect(decompress(compressed, 1_000).toString()).toBe(TEXT);
  });

  test('stops when the decompressed bytes exceed the limit', () => {
    const { length } = Buffer.from(TEXT);
    expect(decompress(compressed, length)).toHaveLength(length);
    expect(() => decompress(compressed, length - 1)).toThrow(RangeError);
  });

  test('fails or returns other bytes for damaged input, and never returns more bytes than allowed', () => {
    const damage = fc.tuple(fc.nat(compressed.length - 1), fc.nat(255), fc.nat(compressed.length));
    fc.assert(
      fc.property(damage, ([at, byte, length]) => {
        const damaged = Buffer.from(compressed);
        damaged[at] = byte;
        try {
          expect(decompress(damaged.subarray(0, length), 1_000).length).toBeLessThanOrEqual(1_000);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
  });
});

test('also reads a snappy block without framing', () => {
  expect(decompressSnappy(Buffer.from(SNAPPY, 'base64').subarray(20), 1_000).toString()).toBe(TEXT);
});
