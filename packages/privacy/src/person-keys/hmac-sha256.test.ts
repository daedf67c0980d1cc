import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmacSha256 } from './hmac-sha256.ts';

test('equals the HMAC of Node’s own crypto', () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(key, bytes, (of, message) => {
      expect(hmacSha256(of, message)).toEqual(createHmac('sha256', of).update(message).digest());
    }),
  );
});

test.each([0, 31, 33, 64])('rejects a key of %i bytes', (length) => {
  expect(() => hmacSha256(new Uint8Array(length), new Uint8Array(4))).toThrow(RangeError);
});
