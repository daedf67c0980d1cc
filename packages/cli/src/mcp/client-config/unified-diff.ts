/** Shows edits of a text as a unified diff, in the format of `diff -u` and git. */
import { replaceSpans, type TextSpan } from '@mandate/schemas/json-spans';
import type { Edit } from './rewrite-entry.ts';

/** `mark`: a blank for context, otherwise a plus or a minus. */
export type DiffLine = { mark: ' ' | '-' | '+' | '@'; text: string };

/** Lines that the edits change. `last` is included. */
type Block = { first: number; last: number; edits: Edit[] };

const CONTEXT_LINES = 3;

/** @param secrets parts of the text that nobody should see */
export function unifiedDiff(text: string, edits: readonly Edit[], secrets: readonly TextSpan[]): DiffLine[] {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const endOf = (line: number) => starts[line + 1] ?? text.length;
  const hidden = hiddenByLine(text, secrets, starts);
  /** The lines, each without its line break. */
  const shown = (first: number, last: number, applied: readonly Edit[]): string[] => {
    const from = starts[first] ?? text.length;
    const to = endOf(last);
    const replaced = [...applied];
    for (let line = first; line <= last; line += 1)
      replaced.push(
        ...(hidden.get(line) ?? []).filter((secret) => !applied.some((one) => covers(one, secret))),
      );
    const within = replaced.map(({ start, end, by, shown: visible = by }) => ({
      ...{ start: start - from, end: end - from },
      by: visible,
    }));
    const part = replaceSpans(text.slice(from, to), within);
    return part.replace(/\r?\n$/, '').split(/\r?\n/);
  };
  const lineCount = text.endsWith('\n') ? starts.length - 1 : starts.length;
  let added = 0;
  return hunksOf(blocksOf(edits, starts)).flatMap((blocks) => {
    const first = Math.max(0, (blocks[0]?.first ?? 0) - CONTEXT_LINES);
    const last = Math.min(lineCount - 1, (blocks.at(-1)?.last ?? 0) + CONTEXT_LINES);
    const lines: DiffLine[] = [];
    let at = first;
    const context = (until: number) => {
      if (at < until) lines.push(...marked(' ', shown(at, until - 1, [])));
    };
    for (const block of blocks) {
      context(block.first);
      lines.push(...changed(shown(block.first, block.last, []), shown(block.first, block.last, block.edits)));
      at = block.last + 1;
    }
    context(last + 1);
    const before = lines.filter(({ mark }) => mark !== '+').length;
    const after = lines.filter(({ mark }) => mark !== '-').length;
    const head = `@@ -${first + 1},${before} +${first + 1 + added},${after} @@`;
    added += after - before;
    return [{ mark: '@' as const, text: head }, ...lines];
  });
}

function covers(one: TextSpan, other: TextSpan): boolean {
  return one.start <= other.start && other.end <= one.end;
}

/** Returns the line of a place. Each place must be after the one before. */
function lineCursor(starts: readonly number[]): (at: number) => number {
  let line = 0;
  return (at) => {
    while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= at) line += 1;
    return line;
  };
}

/** If a secret has several lines, it is hidden in each line, because a hunk may begin or end within it. */
function hiddenByLine(
  text: string,
  secrets: readonly TextSpan[],
  starts: readonly number[],
): ReadonlyMap<number, Edit[]> {
  const lineAt = lineCursor(starts);
  const pieces = [...secrets].sort(byStart).flatMap(({ start, end }) =>
    [...text.slice(start, end).matchAll(/[^\r\n]+/g)].map(({ 0: piece, index }) => ({
      line: lineAt(start + index),
      edit: { start: start + index, end: start + index + piece.length, by: '"…"' },
    })),
  );
  const lines = new Map<number, Edit[]>();
  for (const { line, edit } of pieces) {
    const before = lines.get(line);
    if (before === undefined) lines.set(line, [edit]);
    else before.push(edit);
  }
  return lines;
}

const byStart = (one: TextSpan, other: TextSpan) => one.start - other.start;

function blocksOf(edits: readonly Edit[], starts: readonly number[]): Block[] {
  const blocks: Block[] = [];
  const lineAt = lineCursor(starts);
  for (const edit of [...edits].sort(byStart)) {
    const first = lineAt(edit.start);
    const last = lineAt(Math.max(edit.start, edit.end - 1));
    const before = blocks.at(-1);
    if (before !== undefined && first <= before.last + 1) {
      before.last = last;
      before.edits.push(edit);
    } else blocks.push({ first, last, edits: [edit] });
  }
  return blocks;
}

/** Blocks are in the same hunk if their context would overlap. */
function hunksOf(blocks: readonly Block[]): Block[][] {
  const hunks: Block[][] = [];
  for (const block of blocks) {
    const before = hunks.at(-1)?.at(-1);
    if (before !== undefined && block.first - before.last <= 2 * CONTEXT_LINES + 1) hunks.at(-1)?.push(block);
    else hunks.push([block]);
  }
  return hunks;
}

/** Equal lines at the beginning and at the end count as context. */
function changed(before: readonly string[], after: readonly string[]): DiffLine[] {
  const most = Math.min(before.length, after.length);
  let same = 0;
  while (same < most && before[same] === after[same]) same += 1;
  let sameAtEnd = 0;
  while (sameAtEnd < most - same && before.at(-1 - sameAtEnd) === after.at(-1 - sameAtEnd)) sameAtEnd += 1;
  return [
    ...marked(' ', before.slice(0, same)),
    ...marked('-', before.slice(same, before.length - sameAtEnd)),
    ...marked('+', after.slice(same, after.length - sameAtEnd)),
    ...marked(' ', before.slice(before.length - sameAtEnd)),
  ];
}

function marked(mark: DiffLine['mark'], lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ mark, text }));
}
