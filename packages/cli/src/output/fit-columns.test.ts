import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitColumns } from './fit-columns.ts';
import { table } from './table.ts';

type Row = { id: string; text: string; count: string };

const ROW: Row = { id: 'dec_0123456789', text: 'a reason that is longer than others', count: '7' };
const COLUMNS = [
  { title: 'ID', of: (row: Row) => row.id, cuttable: false, rank: 0, foremost: true },
  { title: 'TEXT', of: (row: Row) => row.text, cuttable: true, rank: 2, foremost: false },
  { title: 'COUNT', of: (row: Row) => row.count, cuttable: false, rank: 1, foremost: false },
];

function shown(rows: readonly Row[], room: number): { lines: string[]; leftOut: readonly string[] } {
  const { columns, leftOut } = fitColumns(rows, COLUMNS, room);
  return { lines: table(rows, columns, new Writable()).trimEnd().split('\n'), leftOut };
}

it('leaves a table alone that fits', () => {
  expect(shown([ROW], 58)).toEqual({
    lines: [
      'ID              TEXT                                 COUNT',
      'dec_0123456789  a reason that is longer than others  7',
    ],
    leftOut: [],
  });
});

it('cuts texts before it leaves anything out, and never an id', () => {
  expect(shown([ROW], 40)).toEqual({
    lines: ['ID              TEXT               COUNT', 'dec_0123456789  a reason that is…  7'],
    leftOut: [],
  });
});

it.each([40, 41])('cuts no character in half (%i)', (room) => {
  const { lines } = shown([{ ...ROW, text: '😀'.repeat(20) }], room);
  expect(lines[1]).toBe(`dec_0123456789  ${'😀'.repeat(8)}…  7`);
});

it('leaves out what matters least', () => {
  expect(shown([ROW], 30)).toMatchObject({
    lines: ['ID              COUNT', 'dec_0123456789  7'],
    leftOut: ['TEXT'],
  });
  expect(shown([ROW], 5)).toMatchObject({ lines: ['ID', 'dec_0123456789'], leftOut: ['TEXT', 'COUNT'] });
});

it('is never wider than the terminal, if the first column is not, and shows every column or names it', () => {
  const text = fc.string({ unit: 'binary', maxLength: 60 });
  const rows = fc.array(fc.record({ id: fc.constant('id'), text, count: text }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(rows, fc.integer({ min: 2, max: 200 }), (some, room) => {
      const { lines, leftOut } = shown(some, room);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(room);
      const titles = lines[0]?.trim().split(/ +/) ?? [];
      expect([...titles, ...leftOut].toSorted()).toEqual(['COUNT', 'ID', 'TEXT']);
    }),
  );
});
