import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitColumns } from './fit-columns.ts';
import { type Column, table } from './table.ts';

type Row = { id: string; text: string; count: string };

const ROW: Row = { id: 'dec_0123456789', text: 'a reason that is longer than others', count: '7' };
const COLUMNS: readonly Column<Row>[] = [
  { title: 'ID', of: (row) => row.id, keep: true },
  { title: 'TEXT', of: (row) => row.text, cut: true, rank: 2 },
  { title: 'COUNT', of: (row) => row.count, rank: 1 },
];

function shown(rows: readonly Row[], room: number): { lines: string[]; leftOut: readonly string[] } {
  const { columns, leftOut } = fitColumns(rows, COLUMNS, room);
  return { lines: table(rows, columns, new Writable()).trimEnd().split('\n'), leftOut };
}

it('leaves a table unchanged if the table fits', () => {
  expect(shown([ROW], 58)).toEqual({
    lines: [
      'ID              TEXT                                 COUNT',
      'dec_0123456789  a reason that is longer than others  7',
    ],
    leftOut: [],
  });
});

it('shortens texts before it leaves a column out, and never shortens an id', () => {
  expect(shown([ROW], 40)).toEqual({
    lines: ['ID              TEXT               COUNT', 'dec_0123456789  a reason that is…  7'],
    leftOut: [],
  });
});

it.each([40, 41])('never cuts a character in half (%i)', (room) => {
  const { lines } = shown([{ ...ROW, text: '😀'.repeat(20) }], room);
  expect(lines[1]).toBe(`dec_0123456789  ${'😀'.repeat(8)}…  7`);
});

it('leaves out the column with the highest rank first', () => {
  expect(shown([ROW], 30)).toMatchObject({
    lines: ['ID              COUNT', 'dec_0123456789  7'],
    leftOut: ['TEXT'],
  });
  expect(shown([ROW], 5)).toMatchObject({ lines: ['ID', 'dec_0123456789'], leftOut: ['TEXT', 'COUNT'] });
});

it('is at most as wide as the terminal if the kept column fits, and shows or names every column', () => {
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

const DECISION = {
  ...{ id: 'dec_01m7z61psn980845439c7c5022c9a7', agent: 'a-researcher-with-a-long-name' },
  ...{ tool: 'mcp__github__create_pull_request', verdict: 'BLOCK' },
  reason: 'The budget "daily" has $0.01 left of $5.00, and this call would take $0.10.',
};
const DECIDED: readonly Column<typeof DECISION>[] = [
  { title: 'VERDICT', of: ({ verdict }) => verdict },
  { title: 'AGENT', of: ({ agent }) => agent, cut: true },
  { title: 'TOOL', of: ({ tool }) => tool, cut: true },
  { title: 'ID', of: ({ id }) => id, keep: true },
  { title: 'REASON', of: ({ reason }) => reason, keep: true, cut: true },
];

it.each([
  [40, ['TOOL', 'AGENT', 'VERDICT']],
  [60, ['TOOL', 'AGENT', 'VERDICT']],
  [80, ['TOOL']],
  [100, []],
])('keeps the whole id and a readable reason in %i columns', (room, dropped) => {
  const { columns, leftOut } = fitColumns([DECISION], DECIDED, room);
  expect(leftOut.toSorted()).toEqual(dropped.toSorted());
  const shown = Object.fromEntries(columns.map(({ title, of }) => [title, of(DECISION)]));
  expect(shown.ID).toBe(DECISION.id);
  expect(shown.REASON?.length).toBeGreaterThanOrEqual(room < 60 ? 12 : 24);
});
