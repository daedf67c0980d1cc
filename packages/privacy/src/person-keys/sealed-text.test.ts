import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keysIdOf, personIndex } from './person-index.ts';
import { looksSealed, readToken, refOf, sealText, secretsOf, unsealText } from './sealed-text.ts';

const leaf = (filling: number) => Buffer.alloc(32, filling);
const secrets = secretsOf(leaf(1));
const at = { ref: refOf('0011223344556677', '8899aabbccddeeff'), tenant: 'acme' };
const text = fc.string({ unit: 'binary' });
/** Texts of any characters, including lone surrogates. */
const anyText = fc.oneof(
  text,
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
);

function unsealed(token: string, with_ = secrets, where = at): string | null {
  const read = readToken(token);
  return read && unsealText(with_, where, read.sealed);
}

test("makes the same token and pseudonym as another implementation: Python's hmac, and its cryptography 48", () => {
  const known = secretsOf(Buffer.from(Array.from({ length: 32 }, (_, index) => index)));
  expect(sealText(known, at, 'mia@example.com')).toBe(
    'sealed:v1:0011223344556677:8899aabbccddeeff:kDCLZnMocRZC1S2Pv4EeS4dbRg0nGEdolSDLSo0wt9AoRjmhGF0rDCBXYWRs.',
  );
  expect(known.pseudonym).toBe('person:8d1f35e1e1120229a52b2c3301e970ca');
  expect([personIndex(leaf(9), 'acme', 'mia'), keysIdOf(leaf(9))]).toEqual([
    '4b3c1b25665e55f0',
    '98c2203e86e0dd07',
  ]);
});

test('unseals any text unchanged, even with lone surrogates, and recognizes a sealed text', () => {
  fc.assert(
    fc.property(anyText, (plain) => {
      const token = sealText(secrets, at, plain);
      expect(unsealed(token)).toBe(plain);
      expect(looksSealed(token)).toBe(true);
      expect(token.startsWith(`${at.ref}:`)).toBe(true);
    }),
  );
});

test('makes equal tokens only for the same text of the same person and tenant', () => {
  fc.assert(
    fc.property(anyText, anyText, (one, other) => {
      const token = sealText(secrets, at, one);
      expect(sealText(secretsOf(leaf(1)), at, one)).toBe(token);
      expect(sealText(secrets, at, other) === token).toBe(one === other);
      expect(sealText(secretsOf(leaf(2)), at, one)).not.toBe(token);
      expect(sealText(secrets, { ...at, tenant: 'bravo' }, one)).not.toBe(token);
    }),
  );
});

test('unseals no token with other keys, for another tenant, or with the ref of another person', () => {
  const token = sealText(secrets, at, 'mia');
  expect(unsealed(token, secretsOf(leaf(2)))).toBeNull();
  expect(unsealed(token, secrets, { ...at, tenant: 'bravo' })).toBeNull();
  expect(unsealed(token, secrets, { ...at, ref: refOf('0011223344556677', '8899aabbccddee00') })).toBeNull();
});

test('unseals no token with a changed byte', () => {
  const sealed = readToken(sealText(secrets, at, 'mia@example.com'))?.sealed ?? Buffer.alloc(0);
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (place, change) => {
      const forged = Buffer.from(sealed);
      forged[place] = (forged[place] ?? 0) ^ change;
      expect(unsealText(secrets, at, forged)).toBeNull();
    }),
  );
});

test('never reads an ordinary text as a token, and never throws', () => {
  const almost = fc.tuple(
    fc.constantFrom('sealed:v1:', at.ref, `${at.ref}:`),
    text,
    fc.constantFrom('.', ''),
  );
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        almost.map((parts) => parts.join('')),
      ),
      (garbage) => {
        expect(readToken(garbage)).toBeNull();
        expect(looksSealed(garbage)).toBe(false);
      },
    ),
  );
  const garbled = fc.uint8Array({ minLength: 29, maxLength: 64 });
  fc.assert(
    fc.property(garbled, (bytes) => {
      expect(unsealed(`${at.ref}:${Buffer.from(bytes).toString('base64url')}.`)).toBeNull();
    }),
  );
});

test('identifies a person by tenant and id, exactly as they are written', () => {
  const pairs: readonly (readonly [string, string])[] = [
    ['acme', 'mia'],
    ['acme', 'Mia'],
    ['acme', 'mia '],
    ['acmem', 'ia'],
    ['acme', '\u00e9'],
    ['acme', 'e\u0301'],
    ['acme', '\ud800'],
    ['acme', '\ud801'],
    ['acme', '\ufffd'],
    ['acme', '__proto__'],
    ['acme', ''],
  ];
  expect(new Set(pairs.map(([tenant, id]) => personIndex(leaf(9), tenant, id))).size).toBe(pairs.length);
});
