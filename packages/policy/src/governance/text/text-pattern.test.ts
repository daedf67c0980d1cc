import { runs } from '@mandate/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PatternRefused } from '../../arguments/pattern-to-re2.ts';
import { stepBudgetOfAction } from '../../step-budget.ts';
import { fold, foldText } from './fold.ts';
import { matchesEveryText } from './matches-every-text.ts';
import { isParted } from './parted.ts';
import { textPattern } from './text-pattern.ts';
import { withoutCase } from './without-case.ts';

const matches = (pattern: string, text: string) =>
  textPattern(pattern).test(foldText(text), stepBudgetOfAction());

describe('\\b has its ASCII meaning, but always holds beside a letter outside ASCII that the pattern names', () => {
  test.each([
    ['\\b(\\d+)\\s*(years old|歳)\\b', '私は20歳です', true],
    ['\\b(\\d+)\\s*(years old|歳)\\b', '20 years older', false],
    ['\\b(a|é)?x\\b', 'bx', false],
    ['\\b(é)?x\\b', 'bx', false],
    ['\\b(é)?x\\b', 'béx', true],
    ['\\b(é)??x\\b', 'béx', true],
    ['(?:old\\b|歳\\b)です', '歳です', true],
    ['\\b[ぁ-んァ-ヶー一-龯]+\\b', '私は', true],
    ['x\\b[\\u3040-\\u309f]', 'xは', true],
    ['\\b\\p{Script=Greek}+\\b', 'xαβγ', true],
    ['a\\b\\p{Script=Latin}', 'ab', false],
    ['x\\b[^é]', 'xb', false],
    ['\\b\\b\\bétude\\b\\b', 'xétude', true],
    ['[^\\W_]+@', '_é@', true],
    ['^[^\\W_]+$', 'é_', false],
    ['^[\\W]$', '_', false],
    ['^[\\W]$', '‿', true],
    ['^\\W$', '字', false],
    ['^[\\D]$', '٣', false],
    ['(?<year>\\d{4})年', '２０２６年', true],
    ['\\p{Lu}', 'a', true],
  ])('%s in %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toBe(expected);
  });
});

test.each<[RegExp, string]>([
  [/can be a letter outside ASCII or another character/, '[a歳]\\b'],
  [/can be a letter outside ASCII or another character/, '(?:a|歳)+\\b'],
  [/can be a letter outside ASCII or another character/, '(?:x\\b)+é'],
  [/can be a letter outside ASCII or another character/, '歳?\\b'],
  [/\\B has no meaning/, 'a\\B'],
  [/back-references/, '(a)\\1'],
  [/no meaning where capitals and small letters are the same/, '\\P{Lu}'],
  [/no meaning where capitals and small letters are the same/, '[\\P{Ll}]'],
  [/knows no class/, '\\p{Ideographic}'],
  [/longer than 1000/, 'a'.repeat(1_001)],
  [/repeat count/, 'a{1001}'],
])('refuses a pattern with the message %s', (why, pattern) => {
  expect(() => textPattern(pattern)).toThrow(PatternRefused);
  expect(() => textPattern(pattern)).toThrow(why);
});

test('the size of a pattern counts against the room of a document', () => {
  const { size } = textPattern('\\w{10}');
  expect(size).toBeGreaterThan(900);
  expect(() => textPattern('\\w{10}', { left: size })).not.toThrow();
  expect(() => textPattern('\\w{10}', { left: size - 1 })).toThrow(/the document has patterns of more/);
});

test('a pattern of many nested groups is placed and compiled in bounded time', () => {
  const nested = `${'('.repeat(300)}歳|a${')'.repeat(300)}\\b`;
  expect(matches(nested, '歳x')).toBe(true);
  expect(matches(nested, 'ax')).toBe(false);
});

test('finds all matches that are not empty, with the first group', () => {
  const found = textPattern('n([1-5])?|x*').matches('N3 n xx', stepBudgetOfAction());
  expect([...found]).toEqual([
    { start: 0, end: 2, group: { start: 1, end: 2 } },
    { start: 3, end: 4, group: null },
    { start: 5, end: 7, group: null },
  ]);
});

test.each([
  ['\\b(é|x)?x', { start: 0, end: 2, group: { start: 0, end: 1 } }],
  ['\\b(é|x)??x', { start: 0, end: 1, group: null }],
])('an optional group beside \\b stays greedy or lazy: %s', (pattern, match) => {
  expect([...textPattern(pattern).matches('xx', stepBudgetOfAction())]).toEqual([match]);
});

test('each search for a match costs the length of the remaining text', () => {
  const pattern = textPattern('a');
  const stepBudget = { left: pattern.size * (16 + 3 + 16 + 2 + 16 + 1 + 16) };
  expect([...pattern.matches('aaa', stepBudget)]).toHaveLength(3);
  expect(stepBudget.left).toBe(0);
  expect([...pattern.matches('aaa', { left: pattern.size * (16 + 3) })]).toHaveLength(1);
});

test.each([
  ['.*', true],
  ['', true],
  ['^', true],
  ['a*', true],
  ['^.+$', true],
  ['^.{0,15}$', false],
  ['^.{0,1000}$', false],
  ['\\w', false],
  ['[^~]', false],
  ['^$', false],
  ['\\b', false],
])('says whether %s matches every text: %s', (pattern, expected) => {
  expect(matchesEveryText(textPattern(pattern))).toBe(expected);
});

test('every text that a pattern matches contains one of its required literals', () => {
  const literals = (pattern: string) => textPattern(pattern).literals;
  expect(literals('(make|create)\\s+(me\\s+)?Flashcards?')).toEqual(['flashcard']);
  expect(literals('(show|check|view)\\s+(my\\s+)?')).toEqual(['show', 'check', 'view']);
  expect(literals('ab|c*')).toBeNull();
  expect(literals('(ab)?c[d]ef+g')).toEqual(['ef']);
  expect(literals('ab\u1fd3')).toEqual(['ab']);
  const part = fc.constantFrom('ab', 'c', '(de|f)', '(gh|ij)+', 'k?', '[lm]', '\\s', '|', 'n{2}', 'é', 'Σ');
  const text = fc
    .array(fc.constantFrom(...'abcdefghijklmn éΣςσÉ'), { maxLength: 12 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), text, (parts, given) => {
      const pattern = textPattern(parts.join(''));
      const folded = foldText(given);
      if (pattern.literals === null || !pattern.test(folded, stepBudgetOfAction())) return;
      expect(pattern.literals.some((literal) => withoutCase(folded).includes(literal))).toBe(true);
    }),
    { numRuns: runs(1_000) },
  );
});

test('folds to one spelling', () => {
  expect(foldText(' Ｆｕｌｌ\u00ad\u200b  “width”\n\u2003isn’t ')).toBe('Full "width" isn\'t');
  expect(foldText('e\u200d\u0301')).toBe('é');
});

test('folding costs the length before and after, and an overdrawn budget gives no text', () => {
  const stepBudget = { left: 19 };
  expect(fold('\ufdfa', stepBudget)).toHaveLength(18);
  expect(stepBudget.left).toBe(0);
  expect(fold('a', stepBudget)).toBe('');
  expect(stepBudget.left).toBeLessThan(0);
});

test.each([
  ['ab', false],
  ['a_', false],
  ['a1', false],
  ['é日', true],
  ['日本', true],
  ['aー', true],
  ['a가', true],
  ['a-', true],
  ['𝒜b', false],
  ['🔥a', true],
  ['a𠮷', true],
])('says whether the characters of %s are parted: %s', (pair, expected) => {
  expect(isParted(pair, [...pair][0]?.length ?? 0)).toBe(expected);
});

test('removes exactly those differences of case that patterns ignore', () => {
  expect(withoutCase('ΌΔΟΣ')).toBe(withoutCase('όδος'));
  expect(withoutCase('ẞıİ')).toBe('ßıİ');
  for (const character of 'ÀßẞΣσςЖжǅǆǄꭰᎠⅫⅻ') {
    const ignoringCase = new RegExp(`^${character}$`, 'iu');
    expect(ignoringCase.test(withoutCase(character))).toBe(true);
  }
});
