import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from './sha256-hex.ts';

const byNode = (text: string) => createHash('sha256').update(text).digest('hex');

test('hashes texts with lengths around the block size as Node does', () => {
  for (let length = 0; length <= 260; length += 1) {
    const text = 'ab€'.repeat(length).slice(0, length);
    expect(sha256Hex(text), `length ${length}`).toBe(byNode(text));
  }
});

test('hashes any text as Node does, also a text with a lone surrogate', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(sha256Hex(text)).toBe(byNode(text));
    }),
  );
  expect(sha256Hex('a\ud800b')).toBe(byNode('a\ud800b'));
  expect(sha256Hex('x'.repeat(1_000_003))).toBe(byNode('x'.repeat(1_000_003)));
});
