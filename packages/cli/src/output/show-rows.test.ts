import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { FittingColumn } from './fit-columns.ts';
import { showRows } from './show-rows.ts';

type Row = { id: string; said: string };

const ROW: Row = { id: 'alr_6f1d0c3b8a4e47d2b0c95a7e1f3d2c48', said: 'bot uses look for the first time.' };
const COLUMNS: readonly FittingColumn<Row>[] = [
  { title: 'ID', of: ({ id }) => id, cuttable: false, foremost: false, rank: 1 },
  { title: 'WHAT', of: ({ said }) => said, cuttable: true, foremost: true, rank: 0 },
];

async function shown(stream: object): Promise<string[]> {
  const stdout = Object.assign(new PassThrough(), stream);
  await showRows(stdout, Readable.from([ROW]), { json: false, columns: COLUMNS, empty: '', rest: '--json' });
  stdout.end();
  return (await text(stdout)).trimEnd().split('\n');
}

test('a list that is fitted says what a terminal has no room for, and gives a pipe everything', async () => {
  const narrow = { isTTY: true, columns: 40, hasColors: () => false, getColorDepth: () => 1 };
  expect(await shown(narrow)).toEqual(['WHAT', ROW.said, 'no room for ID: --json']);
  expect((await shown({})).at(-1)).toBe(`${ROW.id}  ${ROW.said}`);
});
