/** Shows the changes of an import: the diff, and a line for each server. */
import type { Output } from '../../command-context.ts';
import { printable } from '../../output/printable.ts';
import { paint } from '../../output/table.ts';
import type { PlannedServer } from './plan-import.ts';
import type { DiffLine } from './unified-diff.ts';

const STYLES = { '-': 'red', '+': 'green', '@': 'cyan', ' ': null } as const;

export function diffText(path: string, lines: readonly DiffLine[], stream: Output): string {
  if (lines.length === 0) return '';
  const head = [`--- ${printable(path)}`, `+++ ${printable(path)}`].map((line) =>
    paint('bold', line, stream),
  );
  const body = lines.map(({ mark, text }) => {
    const line = `${mark === '@' ? '' : mark}${printableCell(text)}`;
    const style = STYLES[mark];
    return style === null ? line : paint(style, line, stream);
  });
  return `${[...head, ...body].join('\n')}\n`;
}

/** Tabs are kept: they move the cursor only as far as the indentation of the file does. */
function printableCell(text: string): string {
  return text.split('\t').map(printable).join('\t');
}

export function serversText(servers: readonly PlannedServer[]): string {
  return servers
    .map(({ name, within, change, why }) => {
      const which = within === null ? name : `${name} (${within})`;
      return `${printable(which)}: ${change === 'ungoverned' ? 'NOT GOVERNED: ' : ''}${printable(why)}\n`;
    })
    .join('');
}
