import { printable } from './printable.ts';
import { paint } from './table.ts';

/** Returns lines that say what a change newly allows. They are shown below the change. */
export function widerLines(widens: readonly string[], stream: NodeJS.WritableStream): string[] {
  return widens.map((line) => paint('yellow', `    ! wider: ${printable(line)}`, stream));
}
