import { printableLines } from './printable.ts';

/** The remedy for documents that probably do not mean what their author intended. */
export const MAY_BE_MEANT = 'The text is used as it is. Correct it, or leave it if you mean it.';

/** Returns the warnings for stderr, one line each, followed by the remedy. Empty if there are no warnings. */
export function warningsText(lines: readonly string[], remedy: string): string {
  if (lines.length === 0) return '';
  return printableLines([...lines.map((line) => `mandate: warning: ${line}\n`), `  ${remedy}\n`].join(''));
}
