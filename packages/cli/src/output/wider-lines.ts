import { printable } from './printable.ts';
import { paint } from './table.ts';

/** What a change lets through that was not let through before, below what is changed. */
export function widerLines(widens: readonly string[], stream: NodeJS.WritableStream): string[] {
  return widens.map((line) => paint('yellow', `    ! wider: ${printable(line)}`, stream));
}
