import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stepBudgetOfAction } from '../step-budget.ts';
import { linearPattern } from './linear-pattern.ts';
import { PatternRefused } from './pattern-to-re2.ts';

describe('patterns that cannot run in linear time are refused, with the reason in the message', () => {
  test.each([
    ['(?=a)b', /look-ahead/],
    ['(?!a)b', /look-ahead/],
    ['(?<=a)b', /look-behind/],
    ['(?<!a)b', /look-behind/],
    ['(a)\\1', /back-reference/],
    ['(?<n>a)\\k<n>', /back-reference/],
    ['(?i:a)', /flags/],
    ['(', /Unterminated group/],
    ['a{1001}', /repeat count/],
    ['((a{100}){100}){100}', /repeat count/],
    ['\\Qa\\E', /Invalid escape/],
    ['\\Aa\\z', /Invalid escape/],
    ['\\p{Ideographic}', /knows no class .*category/],
    ['\\p{scx=Greek}', /knows no class/],
    ['[[:alpha:]]', /Lone quantifier|bracket/],
    ['a'.repeat(1_001), /longer than 1000/],
  ])('%s', (pattern, why) => {
    expect(() => linearPattern(pattern)).toThrow(PatternRefused);
    expect(() => linearPattern(pattern)).toThrow(why);
  });
});

// Texts that the two syntaxes could match differently. V8 gives the expected results, so the texts are short.
const TEXTS = [
  '',
  'a',
  'ab',
  'aab',
  '\n',
  '\r',
  'a\n',
  '\u2028',
  '\u2029',
  '\u00a0',
  '\ufeff',
  '\v',
  '\0',
  '\b',
  '\x01',
  ' ',
  '😀',
  '\u{10ffff}',
  'é',
  'É',
  'α',
  'Α',
  'k',
  'K',
  '\u212a',
  '[',
  ']',
  ':',
  '-',
  '\\',
  '/',
  '.',
  '_',
  '0',
  '٣',
  '\u180e',
  '\u200b',
  '\u1680',
  '\u3000',
  '\x85',
  '\x1c',
  'nn',
  '&&',
];
test.each([
  '^.$',
  '^\\s$',
  '^\\S$',
  '^[\\s]$',
  '^[^\\s]$',
  '^[\\S]$',
  '^[^\\S]$',
  '^[^]$',
  '[]',
  '^\\w$',
  '^\\W$',
  '^\\d$',
  '^\\D$',
  'a$',
  '^a$',
  '\\ba\\b',
  '\\Ba',
  '^[\\b]$',
  '^\\0$',
  '^\\cA$',
  '^\\x41$',
  '^\\u00e9$',
  '^\\u{1F600}$',
  '^\\ud83d\\ude00$',
  '^[\\ud83d\\ude00-\\u{1F64F}]$',
  '^[😀-😂]$',
  '^\\p{L}$',
  '^\\p{Lu}$',
  '^\\P{L}$',
  '^\\p{Script=Greek}$',
  '^\\p{sc=Latin}$',
  '^\\p{gc=Nd}$',
  '^\\p{Letter}$',
  '^\\P{Uppercase_Letter}$',
  '^[\\p{Cased_Letter}-]$',
  '^\\p{gc=Decimal_Number}$',
  '^\\p{General_Category=Punctuation}$',
  '^\\p{digit}$',
  '^\\p{punct}$',
  '^\\p{Symbol}$',
  '^[[:a]$',
  '^[a[:digit:]$',
  '^[[\\]]$',
  '^[a&&b]+$',
  '^[\\-a]$',
  '^[a\\-z]$',
  '^\\/$',
  '^\\.$',
  '^[.]$',
  '^[$^(|)]$',
  '^\\\\$',
  '^(?<n>a)+$',
  '^(?:a|b)*?$',
  '^a{2,}b$',
  '^(a|ab)(c|bcd)?$',
  '^[^a]$',
  '^[\\n-\\r]$',
  '^\\n$',
  '^\\v$',
  '^\\f$',
  '^\\t$',
  'x*',
])('%s matches the same texts as in ECMAScript', (pattern) => {
  const linear = linearPattern(pattern);
  const ecma = new RegExp(pattern, 'u');
  for (const text of TEXTS)
    expect([text, linear.test(text, stepBudgetOfAction())]).toEqual([text, ecma.test(text)]);
});

test('random patterns match the same texts as in ECMAScript', () => {
  const atom = fc.constantFrom(
    'a',
    'b',
    '.',
    '\\s',
    '\\S',
    '\\w',
    '[ab]',
    '[^a\\s]',
    '[\\S\\d]',
    '(a|b)',
    '(?:ab)',
    '\\u0061',
    '\\.',
  );
  const piece = fc
    .tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '*?'))
    .map((pair) => pair.join(''));
  const pattern = fc
    .tuple(fc.constantFrom('', '^'), fc.array(piece, { maxLength: 5 }), fc.constantFrom('', '$', '|b$'))
    .map(([start, pieces, end]) => start + pieces.join('') + end);
  const text = fc
    .array(fc.constantFrom('a', 'b', '.', ' ', '\n', '\u00a0', '😀', '7'), { maxLength: 8 })
    .map((units) => units.join(''));
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), (source, texts) => {
      const linear = linearPattern(source);
      const ecma = new RegExp(source, 'u');
      for (const one of texts) expect(linear.test(one, stepBudgetOfAction())).toBe(ecma.test(one));
    }),
    { numRuns: runs(500) },
  );
});

test('a pattern that would block V8 for a very long time ends quickly', () => {
  expect(linearPattern('^(a+)+$').test(`${'a'.repeat(65_000)}b`, stepBudgetOfAction())).toBe(false);
  expect(
    linearPattern('^(\\w|\\d)*\\1?$'.replace('\\1?', 'x')).test('1'.repeat(65_000), stepBudgetOfAction()),
  ).toBe(false);
});
