import { runs, textOfCsv } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvText } from './csv-text.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@x', "'@x"],
  ['＝1+1', "'＝1+1"],
  ['﹢1', "'﹢1"],
  ['\tx', "'\tx"],
  ['\rx', "'\rx"],
  ['\nx', "'\nx"],
  [' =1', " '=1"],
  ['\t=1', "'\t'=1"],
  ['x;=1+1', "x;'=1+1"],
  ['x,=1+1', "x,'=1+1"],
  ['x\t=1+1', "x\t'=1+1"],
  ['two\n=1+1', "two\n'=1+1"],
  ['two\r\n+1', "two\r\n'+1"],
  ['x|@y', "x|'@y"],
  ['x; "=1', `x; "'=1`],
  ['x;;\t=1;-1', "x;;\t'=1;'-1"],
  ["'=1", "''=1"],
  ["x;'=1", "x;''=1"],
  ["'\tx", "''\tx"],
  ['\0=1', "\0'=1"],
  ['x;\u00a0=1', "x;\u00a0'=1"],
  ['\ufeff@x', "\ufeff'@x"],
])('puts an apostrophe before each sign in %j that would begin a formula', (text, cell) => {
  expect(csvText(text)).toBe(cell);
  expect(textOfCsv(cell)).toBe(text);
});

test.each([
  'a=b',
  'x; y',
  'a-b',
  '1 + 1',
  "it's",
  "'x",
  'mail@host',
  '！=1',
  'x;a=1',
  'a\nb',
  '',
  ';',
  'x;"y"=1',
])('leaves %j unchanged', (text) => {
  expect(csvText(text)).toBe(text);
});

const SIGNS = [...'=+-@＝＋－＠﹦﹢﹣﹫'];
const text = fc.string({
  unit: fc.constantFrom(
    ...SIGNS,
    ';',
    ',',
    '\t',
    '\r',
    '\n',
    '\v',
    '\f',
    '\0',
    '\u00a0',
    '\ufeff',
    '|',
    ' ',
    '"',
    "'",
    'a',
    '1',
    'ü',
    '😀',
  ),
  maxLength: 12,
});

test('no part of a cell begins a formula, whatever separator a spreadsheet uses', () => {
  fc.assert(
    fc.property(text, (any) => {
      const cell = csvText(any);
      for (const separator of [';', ',', '\t', '\n', '\r', '|', /[;,\t\r\n|]/]) {
        for (const part of [cell, ...cell.split(separator)]) {
          expect(SIGNS).not.toContain(part.charAt(0));
          expect(SIGNS).not.toContain(part.replace(/^[\s"\0]+/, '').charAt(0));
        }
      }
      expect('\t\r\n').not.toContain(cell.charAt(0) || 'x');
    }),
    { numRuns: runs(500) },
  );
});

test('the text of every cell can be restored', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
      ),
      (any) => {
        expect(textOfCsv(csvText(any))).toBe(any);
      },
    ),
    { numRuns: runs(500) },
  );
});
