/** Changes as a person reads them before they are made: each with the lines of it that differ. */
import { stringify } from 'yaml';
import type { Output } from '../command-context.ts';
import { counted } from '../output/for-people.ts';
import { lineDiff } from '../output/line-diff.ts';
import { printable } from '../output/printable.ts';
import { paint } from '../output/table.ts';
import type { Change } from './plan-changes.ts';

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
  const { kind, id, does, before, after } = change;
  const sign = SIGNS[does];
  const title = paint(STYLES[sign], `${sign} ${kind} ${printable(id)}`, stream);
  const lines = lineDiff(linesOf(before), linesOf(after)).filter(({ sign: of }) => of !== ' ');
  const told = lines.map(({ sign: of, line }) =>
    paint(of === '+' ? 'green' : 'red', `    ${of} ${printable(line)}`, stream),
  );
  const widens = does === 'change' ? change.widens : [];
  const wider = widens.map((line) => paint('yellow', `    ! wider: ${printable(line)}`, stream));
  return `${[title, ...told, ...wider].join('\n')}\n`;
}

function linesOf(document: object | null): readonly string[] {
  return document === null ? [] : stringify(document, { lineWidth: 0 }).trimEnd().split('\n');
}
