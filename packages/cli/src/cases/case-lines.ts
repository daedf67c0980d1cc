/**
 * The results of cases as text for people: one line for each case, and for a failed case its steps with the expected
 * and the actual values.
 */
import type { StepTold, TestedCase } from '@mandate/cases';
import type { Output } from '../command-context.ts';
import { printable } from '../output/printable.ts';
import { roomOn } from '../output/show-fitted.ts';
import { paint } from '../output/table.ts';
import { wrap } from '../output/wrap.ts';

const INDENT = ' '.repeat(8);

export function caseLines({ file, line, name, ok, steps }: TestedCase, stdout: Output): string {
  const verdict = ok ? paint('green', 'ok  ', stdout) : paint('red', 'FAIL', stdout);
  const title = `${verdict}  ${printable(name)}  ${paint('dim', `${printable(file)}:${line}`, stdout)}`;
  const last = steps.findLastIndex(({ differences }) => differences.length > 0);
  const shown = steps.slice(0, last + 1).flatMap((step, at) => stepLines(step, at + 1, file, stdout));
  return `${[title, ...shown].join('\n')}\n`;
}

function stepLines(step: StepTold, number: number, file: string, stdout: Output): string[] {
  const { title, seen, differences, told, line } = step;
  const came = seen === '' ? '' : `: ${seen}`;
  const head = printable(`${String(number).padStart(6)}  ${title}${came}`);
  if (differences.length === 0) return [paint('dim', head, stdout)];
  return [
    `${head}  ${paint('dim', `${printable(file)}:${line}`, stdout)}`,
    ...differences.flatMap(({ what, expected, seen: evidence }) => [
      paint('red', `${INDENT}- ${printable(`${what}: ${expected}`)}`, stdout),
      paint('green', `${INDENT}+ ${printable(`${what}: ${evidence}`)}`, stdout),
    ]),
    ...told.flatMap((text) =>
      wrap(printable(text), roomOn(stdout) - INDENT.length - 2).map((part) => `${INDENT}  ${part}`),
    ),
  ];
}
