import { validateHeaderValue } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headerText } from './header-text.ts';

test('encodes any text for a header so that decoding restores it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
      const sent = headerText(text);
      validateHeaderValue('x', sent);
      expect(sent).toMatch(/^[\x21-\x7e]*$/);
      expect(decodeURIComponent(sent)).toBe(text);
    }),
  );
});

test.each([
  ['an ordinary id stays as it is', 'dec_01H.a-b~c', 'dec_01H.a-b~c'],
  ['a line break', 'a\r\nset-cookie: b', 'a%0D%0Aset-cookie%3A%20b'],
  ['a character beyond Latin-1', '€', '%E2%82%AC'],
  ['a percent sign', '100%', '100%25'],
  ['half a character', '\ud800', '%EF%BF%BD'],
])('%s', (_name, text, sent) => {
  expect(headerText(text)).toBe(sent);
});
