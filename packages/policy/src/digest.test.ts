import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson, digestOf, hmacSha256Hex, sha256Hex } from './digest.ts';

describe('canonicalJson', () => {
  test.each<[value: unknown, text: string]>([
    [null, 'null'],
    [-0, '0'],
    [1e21, '1e+21'],
    [0.000001, '0.000001'],
    [1e-7, '1e-7'],
    [[3, 'x', [true]], '[3,"x",[true]]'],
    [{ b: 1, a: { d: [], c: {} } }, '{"a":{"c":{},"d":[]},"b":1}'],
    [{ 10: 'ten', 9: 'nine', a: 1 }, '{"10":"ten","9":"nine","a":1}'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    ['\u20ac$\u000f\nA\'B"\\\\"/', '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
    // An example from RFC 8785. Keys are sorted by code unit, so a surrogate pair comes before U+FB33.
    [
      { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 },
      '{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}',
    ],
  ])('%j', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test.each([undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 0, Symbol('s'), [undefined]])(
    'refuses a value that JSON cannot represent: %s',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(TypeError);
    },
  );

  test('keeps the value when it is parsed again, and gives equal values the same text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  test('writes each ASCII character as JSON.stringify does', () => {
    for (let code = 0; code < 128; code++) {
      const text = `a${String.fromCharCode(code)}`;
      expect(canonicalJson(text)).toBe(JSON.stringify(text));
    }
  });

  test('does not depend on the order in which keys were set', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(digestOf(reversed)).toBe(digestOf(value));
      }),
    );
  });
});

describe('hashes', () => {
  test('SHA-256 of the empty text and of "abc" equals the examples of FIPS 180-4', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test('HMAC-SHA-256 equals test case 2 of RFC 4231', () => {
    expect(hmacSha256Hex('Jefe', 'what do ya want for nothing?')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  test("equal the hashes of Node's crypto module", () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ minLength: 1 }), (text, key) => {
        expect(sha256Hex(text)).toBe(createHash('sha256').update(text).digest('hex'));
        expect(hmacSha256Hex(key, text)).toBe(createHmac('sha256', key).update(text).digest('hex'));
      }),
    );
  });

  test('digestOf is the hash of the canonical text', () => {
    expect(digestOf({ b: [1], a: 'x' })).toBe(sha256Hex('{"a":"x","b":[1]}'));
  });
});
