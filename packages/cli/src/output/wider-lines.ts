import { printable } from './printable.ts';
import { paint } from './table.ts';

/** Lines for what a change allows that was not allowed before. They are shown below the change. */
export function widerLines(widens: readonly string[], stream: NodeJS.WritableStream): string[] {
  return widens.map((line) => paint('yellow', `    ! wider: ${printable(line)}`, stream));
}
