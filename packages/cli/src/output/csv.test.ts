import { expect, it } from 'vitest';
import { csvLine } from './csv.ts';

it('quotes what would end a cell or a line, and nothing else', () => {
  expect(csvLine(['a', 7, true, 'b c'])).toBe('a,7,true,b c\n');
  expect(csvLine(['a,b', 'say "x"', 'two\nlines', 'cr\r'])).toBe('"a,b","say ""x""","two\nlines","cr\r"\n');
  expect(csvLine([null, undefined, '', { a: [1] }])).toBe(',,,"{""a"":[1]}"\n');
});
