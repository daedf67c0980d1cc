import type { Json } from '@mandate/schemas';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRedaction } from './redact.ts';
import { isSecretName, SECRET_NAMES } from './secret-names.ts';

const redact = compileRedaction({ redact: SECRET_NAMES, hash: ['customerId'], hashKey: 'a key' });

test('redacts fields with the given names at any depth, whatever they contain', () => {
  expect(
    redact({
      user: 'ann',
      password: 'x',
      nested: [{ 'API-KEY': { a: 1 } }, { ok: [{ Set_Cookie: null }] }],
      inputTokens: 5,
      maxOutputTokens: 6,
      secretary: 'bob',
      token: 7,
    }),
  ).toEqual({
    user: 'ann',
    password: '[redacted]',
    nested: [{ 'API-KEY': '[redacted]' }, { ok: [{ Set_Cookie: '[redacted]' }] }],
    inputTokens: 5,
    maxOutputTokens: 6,
    secretary: 'bob',
    token: '[redacted]',
  });
});

describe('the usual names of secrets', () => {
  test.each([
    'password',
    'PASSWD',
    'secret',
    'token',
    'api_key',
    'apiKey',
    'X-API-Key',
    'Authorization',
    'cookie',
    'private-key',
    'clientSecret',
    'access_token',
    'refreshToken',
    'SSN',
    'credit_card',
    'cardNumber',
    'CVV',
    'Set-Cookie',
    'aws_secret_access_key',
  ])('include %s', (name) => expect(isSecretName(name)).toBe(true));

  test.each([
    'inputTokens',
    'maxOutputTokens',
    'tokens',
    'tokenCount',
    'secretary',
    'passwordless',
    'author',
    'key',
    'card',
    'cookieBanner',
    '',
    '__proto__',
  ])('do not include %s', (name) => expect(isSecretName(name)).toBe(false));
});

describe('a keyed hash', () => {
  test('equals the hash of another implementation: openssl dgst -sha256 -hmac "a key" of "42"', () => {
    expect(redact({ customer_id: '42' })).toEqual({
      customer_id: 'hmac-sha256:6ff9369c8cbe56b68a55d6013c14c656',
    });
  });

  test('is equal for equal values, and different for another value or another key', () => {
    const hash = (value: Json, hashKey = 'k') =>
      compileRedaction({ redact: [], hash: ['id'], hashKey })({ id: value });
    expect(hash({ a: 1, b: 2 })).toEqual(hash({ b: 2, a: 1 }));
    expect(hash('1')).not.toEqual(hash(1));
    expect(hash('1')).not.toEqual(hash('1', 'other'));
  });

  test.each([undefined, ''])('is an error if there is no key (%j)', (hashKey) => {
    expect(() => compileRedaction({ redact: [], hash: ['id'], hashKey })).toThrow(TypeError);
    expect(compileRedaction({ redact: ['id'], hash: [], hashKey })({ id: 1 })).toEqual({ id: '[redacted]' });
  });

  test('is not used if a name is in both lists, because redaction takes precedence', () => {
    expect(compileRedaction({ redact: ['id'], hash: ['ID'], hashKey: 'k' })({ id: 1 })).toEqual({
      id: '[redacted]',
    });
  });
});

const names = fc.constantFrom('password', 'Api-Key', 'customerId', 'a', 'b', 'inputTokens');
const json = fc.letrec<{ value: Json; array: Json[]; object: { [name: string]: Json } }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string({ maxLength: 5 }),
    fc.integer(),
    fc.constant(null),
    fc.constant('[redacted]'),
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).value;

test('redaction is idempotent, leaves its input unchanged, and returns the input itself if nothing is redacted', () => {
  fc.assert(
    fc.property(json, (value) => {
      const before = JSON.stringify(value);
      const once = redact(value);
      expect(JSON.stringify(value)).toBe(before);
      expect(redact(once)).toBe(once);
      const says = /"(?:password|Api-Key|customerId)":/.test(before);
      if (!says) expect(once).toBe(value);
    }),
  );
});

test('leaves no value of a redacted field in the text', () => {
  fc.assert(
    fc.property(json, json, (value, around) => {
      const secret = 'hunter-2-hunter';
      const text = JSON.stringify(
        redact([around, { a: { password: [value, secret], customerId: { secret } } }]),
      );
      expect(text).not.toContain(secret);
    }),
  );
});
