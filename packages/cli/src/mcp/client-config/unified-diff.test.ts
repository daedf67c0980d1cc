import { expect, test } from 'vitest';
import type { Edit } from './rewrite-entry.ts';
import { unifiedDiff } from './unified-diff.ts';

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`);

/** Replaces a piece of the text that occurs exactly once. */
function edit(text: string, piece: string, by: string): Edit {
  const start = text.indexOf(piece);
  return { start, end: start + piece.length, by };
}

function diff(text: string, edits: readonly Edit[], secrets: readonly string[] = []): string[] {
  const spans = secrets.map((piece) => edit(text, piece, ''));
  return unifiedDiff(text, edits, spans).map(({ mark, text: line }) => `${mark}${line}`);
}

test('shows three lines around a change, and its place', () => {
  const text = LINES.join('\n');
  expect(diff(text, [edit(text, 'line 9', 'line 9\nnew')])).toEqual([
    '@@@ -6,7 +6,8 @@',
    ...[' line 6', ' line 7', ' line 8', ' line 9', '+new', ' line 10', ' line 11', ' line 12'],
  ]);
});

test('makes a separate hunk for a change that is far away, with the new line numbers', () => {
  const text = `${LINES.join('\n')}\n`;
  const edits = [edit(text, 'line 20', 'last'), edit(text, 'line 1\n', 'first\nsecond\n')];
  expect(diff(text, edits)).toEqual([
    ...['@@@ -1,4 +1,5 @@', '-line 1', '+first', '+second', ' line 2', ' line 3', ' line 4'],
    ...['@@@ -17,4 +18,4 @@', ' line 17', ' line 18', ' line 19', '-line 20', '+last'],
  ]);
});

test('joins changes that share context lines in one hunk', () => {
  const text = LINES.join('\r\n');
  const hunks = (other: string) =>
    diff(text, [edit(text, 'line 2\r', 'two\r'), edit(text, other, 'new')]).filter((line) => line[0] === '@');
  expect(hunks('line 9')).toEqual(['@@@ -1,12 +1,12 @@']);
  expect(hunks('line 10')).toEqual(['@@@ -1,5 +1,5 @@', '@@@ -7,7 +7,7 @@']);
});

test('hides secrets, also in a line that changes', () => {
  const text = '{ "command": "x", "env": { "KEY": "sk-1" } }\n"sk-2"';
  expect(diff(text, [edit(text, '"x"', '"y"')], ['"sk-1"', '"sk-2"'])).toEqual([
    '@@@ -1,2 +1,2 @@',
    '-{ "command": "x", "env": { "KEY": "…" } }',
    '+{ "command": "y", "env": { "KEY": "…" } }',
    ' "…"',
  ]);
});

test('is empty if nothing changed', () => {
  expect(diff('a\nb', [])).toEqual([]);
});
