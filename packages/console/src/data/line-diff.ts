/** Compares two texts line by line. */
import { structuredPatch } from 'diff';

export type DiffLine = { is: 'same' | 'added' | 'removed'; text: string };

/** A run of lines to show, or the number of equal lines that are left out. */
export type DiffPart = readonly DiffLine[] | number;

/** The number of equal lines that are shown before and after a change. */
const AROUND = 3;

/** More work than this would block the page. The whole text then counts as changed. */
const MOST_MS = 500;

const KINDS = { ' ': 'same', '+': 'added', '-': 'removed' } as const;

/** Returns the changes with the lines around them. Empty if the texts are equal. */
export function lineDiff(before: string, after: string): readonly DiffPart[] {
  const [was, is] = [linesOf(before), linesOf(after)];
  const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');
  const options = { context: AROUND, timeout: MOST_MS };
  const hunks = structuredPatch('', '', text(was), text(is), '', '', options)?.hunks ?? [
    { oldStart: 1, lines: [...was.map((line) => `-${line}`), ...is.map((line) => `+${line}`)] },
  ];
  const parts: DiffPart[] = [];
  let at = 0;
  for (const { oldStart, lines } of hunks) {
    if (oldStart - 1 > at) parts.push(oldStart - 1 - at);
    const run = lines.map((line) => ({ is: KINDS[line[0] as keyof typeof KINDS], text: line.slice(1) }));
    parts.push(run);
    at = Math.max(at, oldStart - 1) + run.filter((line) => line.is !== 'added').length;
  }
  if (parts.length > 0 && was.length > at) parts.push(was.length - at);
  return parts;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
