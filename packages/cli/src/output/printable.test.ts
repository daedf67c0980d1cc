import fc from 'fast-check';
import { expect, it } from 'vitest';
import { printable, printableJson, printableLines } from './printable.ts';

const STEERING = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

it.each([
  ['colour', 'a\u001b[31mb', 'a\\u{1b}[31mb'],
  ['one-byte control sequence', '\u009b2J', '\\u{9b}2J'],
  ['line break', 'a\nb\rc', 'a\\u{a}b\\u{d}c'],
  ['reading direction', 'a\u202eb', 'a\\u{202e}b'],
  ['line separator', 'a\u2028b', 'a\\u{2028}b'],
  ['letter that shows as nothing', 'a\u3164b\u034f', 'a\\u{3164}b\\u{34f}'],
  ['private character', '\ue000', '\\u{e000}'],
  ['tag beyond the first plane', '\u{e0041}', '\\u{e0041}'],
])('escapes a character that could steer a terminal: %s', (_what, text, shown) => {
  expect(printable(text)).toBe(shown);
});

it('escapes all characters that could steer a terminal, and changes no other text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(STEERING.test(printable(text))).toBe(false);
      expect(STEERING.test(printableLines(text).replaceAll('\n', ''))).toBe(false);
      if (!STEERING.test(text)) expect(printable(text)).toBe(text);
    }),
  );
});

it('changes how JSON looks, but not its value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const json = printableJson(JSON.stringify(value));
      expect(STEERING.test(json)).toBe(false);
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
