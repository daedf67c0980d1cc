import { PRIVACY_PATTERNS } from '@mandate/schemas';
import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactedPiece } from '../redaction/redacted-piece.ts';
import { findPieces } from './find-pieces.ts';
import { nationalPhoneFinder } from './national-phone.ts';
import { replacePieces } from './redact-pieces.ts';

const shown = (text: string, ...countries: string[]) => {
  const pieces = findPieces(text, ['phone'], nationalPhoneFinder(countries));
  let [marked, at] = ['', 0];
  for (const { start, end } of pieces) {
    marked += `${text.slice(at, start)}<${text.slice(start, end)}>`;
    at = end;
  }
  return marked + text.slice(at);
};

test.each([
  ['DE', 'call <030 901820>, <030/90 18 20> or <0171-1234567>!'],
  ['DE', 'two in a row: <030 901820 030 901821> and 12 <030901820>, 7'],
  ['DE', 'of anybody <0033 1 42 68 53 00>, <0049 30 901820>; (<030) 901820>'],
  ['DE', 'on 21.11.2026 <030 901820>, <０３０　９０１８２０>, <+49 30 901820>'],
  ['US', '(<415) 555-2671>, <415-555-2671>, <415.555.2671>, <4155552671>, <1-415-555-2671>'],
  ['GB', '<020 7946 0958>'],
  ['FR', '<01 42 68 53 00>, <01.42.68.53.00>'],
  ['RU', '<8 912 345-67-89>'],
  ['HU', '<06 1 234 5678>'],
  ['IT', '<06 698 12345>'],
  ['NO', '<21 23 45 67>, <21234567>'],
])('finds a phone number of %s: %s', (country, marked) => {
  expect(shown(marked.replaceAll(/[<>]/g, ''), country)).toBe(marked);
});

test.each([
  ['DE', '30 901820, 06.02.2026, 06.02.2026 12:30, 2026-02-06 12.30.45, 0.30901820, 0301, ORD-030-901820'],
  ['DE', '550e8400-e29b-41d4-a716-046655440000, 1763769535123, v0.30.901820, 030901820x, [redacted] 12'],
  ['US', '2026-11-21 23:48:55, 12/31/2026 12:00, 415.5552671, -122.4194155, 4155 552671, 911-123-4567'],
  ['US', 'ORD-415-555-2671, 4155552671-9a, 415-555-267, 415-555-26711, 41 5555 26 71, 1763769535'],
  ['NO', '203.0.113.9, 212 345 67, 103.21234567, 212345678'],
  ['NO', '[redacted:phone].21234567, [redacted:phone]-21234567, 21234567-[redacted:phone], 1.21234567'],
  ['DE', '06.02.2026/[redacted:email]'],
  ['GB', 'call 415-555-2671 or 030 901820'],
])('finds no phone number of %s: %s', (country, text) => {
  expect(shown(text, country)).toBe(text);
});

test('finds nothing new beside a piece that was replaced before', () => {
  const parts = fc.constantFrom(
    ...['030 901820', '0301234567', '415-555-2671', '21234567', '0049 30 901820', '06.02.2026', '12'],
    ...['+49 30 901820', '4111-1111 1111.1111', '078-05-1120', 'ann@example.com', '.', '-', '/', ' '],
  );
  const patterns = fc.subarray([...PRIVACY_PATTERNS], { minLength: 2 });
  const finders = [['DE', 'US'], ['NO'], ['RU', 'HU', 'IT']].map(nationalPhoneFinder);
  fc.assert(
    fc.property(
      fc.array(parts, { minLength: 2, maxLength: 6 }),
      patterns,
      fc.constantFrom(...finders),
      (some, named, find) => {
        const redact = (text: string) =>
          replacePieces(text, findPieces(text, named, named.includes('phone') ? find : null), (_, pattern) =>
            redactedPiece(pattern),
          );
        const once = redact(some.join(''));
        expect(redact(once)).toBe(once);
      },
    ),
    { numRuns: runs(5_000) },
  );
});

test('finds numbers of each given country, and without countries finds only numbers with a country code', () => {
  const text = '030 901820 or 415-555-2671';
  expect(shown(text, 'DE', 'US')).toBe('<030 901820> or <415-555-2671>');
  expect(findPieces(text, PRIVACY_PATTERNS)).toEqual([]);
  expect(() => nationalPhoneFinder(['XX'])).toThrow(TypeError);
});

test('redacts all remaining numbers if there are too many numbers to check', () => {
  const texts = Array.from({ length: 600 }, () => '9111234567');
  const found = findPieces(texts.join(', '), ['phone'], nationalPhoneFinder(['US']));
  expect(found).toHaveLength(100);
});
