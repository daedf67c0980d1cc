/** Changes as text for people before they are made: each change with the lines that differ. */
import type { Change } from '@mandate/control/plan';
import { lineDiff } from '@mandate/documents';
import { stringify } from 'yaml';
import type { Output } from '../command-context.ts';
import { counted } from '../output/for-people.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/table.ts';
import { widerLines } from '../output/wider-lines.ts';
import { inOrderOf } from './in-order-of.ts';

const SIGNS = { add: '+', change: '~', remove: '-' } as const;
const STYLES = { '+': 'green', '~': 'yellow', '-': 'red' } as const;

export function changesText(changes: readonly Change[], stream: Output): string {
  return changes.map((change) => changeText(change, stream)).join('');
}

export function countsText(changes: readonly Change[]): string {
  if (changes.length === 0) return 'nothing differs';
  const of = (does: Change['does'], said: string) => {
    const count = changes.filter((change) => change.does === does).length;
    return count === 0 ? [] : [`${count} ${said}`];
  };
  const each = [...of('add', 'to add'), ...of('change', 'to change'), ...of('remove', 'to remove')];
  return `${counted(changes.length, 'difference')}: ${each.join(', ')}`;
}

function changeText(change: Change, stream: Output): string {
  const { kind, id, does, before, after, widens } = change;
  const sign = SIGNS[does];
  const title = paint(STYLES[sign], `${sign} ${kind} ${printable(id)}`, stream);
  const lines = withWhereTheyStand(lineDiff(linesOf(before), linesOf(inOrderOf(after, before))));
  const told = lines.map(({ sign: of, line }) => {
    const text = `    ${of} ${printable(line)}`;
    return of === ' ' ? text : paint(of === '+' ? 'green' : 'red', text, stream);
  });
  return `${[title, ...told, ...widerLines(widens, stream)].join('\n')}\n`;
}

type Line = ReturnType<typeof lineDiff>[number];

/** Returns the lines that differ. Unchanged lines before them name the fields that contain them. */
function withWhereTheyStand(lines: readonly Line[]): readonly Line[] {
  const told = new Set<Line>();
  let around: readonly Line[] = [];
  for (const line of lines) {
    around = [...around.filter((one) => depthOf(one) < depthOf(line)), line];
    if (line.sign !== ' ') for (const one of around) told.add(one);
  }
  return lines.filter((line) => told.has(line));
}

function depthOf({ line }: Line): number {
  return line.search(/\S/);
}

function linesOf(document: unknown): readonly string[] {
  return document === null ? [] : stringify(document, { lineWidth: 0 }).trimEnd().split('\n');
}
