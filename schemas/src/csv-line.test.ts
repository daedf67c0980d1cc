import { expect, it } from 'vitest';
import { csvLine } from './csv-line.ts';

it('quotes cells with commas, quotes or line breaks, and no other cells', () => {
  expect(csvLine(['a', 7, true, 'b c'])).toBe('a,7,true,b c\n');
  expect(csvLine(['a,b', 'say "x"', 'two\nlines', 'cr\r'])).toBe('"a,b","say ""x""","two\nlines","cr\r"\n');
  expect(csvLine([null, undefined, '', { a: [1] }])).toBe(',,,"{""a"":[1]}"\n');
});

it.each(['=1+1', '+1', '-1', '@x', '\tx', '＝1+1', '＋1', '－1', '＠x', '-$1+cmd'])(
  'puts an apostrophe before the text %j, which a spreadsheet would read as a formula',
  (text) => expect(csvLine([text])).toBe(`'${text}\n`),
);

it.each([
  ['x;=1+1', "x;'=1+1"],
  ['x\t=1', "x\t'=1"],
])(
  'puts an apostrophe before the text %j, because some spreadsheets split cells at other characters',
  (text, cell) => {
    expect(csvLine([text])).toBe(`${cell}\n`);
  },
);

it('puts an apostrophe before formulas in JSON, in lists and in other texts', () => {
  expect(csvLine([{ a: 'x;=1' }, ['=1'], '=1'])).toBe('"{""a"":""x;\'=1""}","[""=1""]",\'=1\n');
});

it('leaves numbers, amounts and texts with a harmless sign unchanged', () => {
  expect(csvLine([-7, '-$0.01', '$1.00', 'a=b', '！x'])).toBe('-7,-$0.01,$1.00,a=b,！x\n');
});
