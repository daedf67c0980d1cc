import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { answerColumns } from './show-answer-rows.ts';
import { paint, table } from './table.ts';

const FILE = new Writable();
const TERMINAL = Object.assign(new Writable(), {
  isTTY: true,
  hasColors: () => true,
  getColorDepth: () => 8,
});

it('aligns columns, numbers to the right, with no blanks at the end of a line', () => {
  const rows = [
    { name: 'a', count: 5 },
    { name: 'longer', count: 123 },
  ];
  const columns = [
    { title: 'NAME', of: ({ name }: (typeof rows)[number]) => name },
    { title: 'N', of: ({ count }: (typeof rows)[number]) => String(count), align: 'right' as const },
    { title: 'EMPTY', of: () => '' },
  ];
  expect(table(rows, columns, FILE)).toBe('NAME      N  EMPTY\na         5\nlonger  123\n');
});

it('escapes text of agents that could steer a terminal', () => {
  const columns = [{ title: 'A', of: (row: string) => row }];
  expect(table(['\u001b[2J'], columns, FILE)).toBe('A\n\\u{1b}[2J\n');
});

it('uses colours only on a terminal', () => {
  expect(paint('red', 'x', FILE)).toBe('x');
  expect(paint('red', 'x', TERMINAL)).toBe('\u001b[31mx\u001b[39m');
});

it('makes columns from the rows of the plane: amounts in dollars, no log positions, no empty columns', () => {
  const rows = [
    { agentId: 'a', spentMicros: 10_000, spent: '0.01', model: null, log: { topic: 't' }, calls: 3 },
    { agentId: 'b', spentMicros: 0, spent: '0', model: null, log: { topic: 't' }, calls: 12 },
  ];
  expect(table(rows, answerColumns(rows), FILE)).toBe(
    'AGENT ID  SPENT  CALLS\na          0.01      3\nb             0     12\n',
  );
  expect(answerColumns([])).toEqual([]);
});
