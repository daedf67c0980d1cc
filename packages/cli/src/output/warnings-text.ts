import { printableLines } from './printable.ts';

/** The remedy for what documents probably do not mean. */
export const MAY_BE_MEANT =
  'It is used as it stands. Write what you mean, or leave it where this is what you mean.';

/** What is not as it may be meant, for stderr: a line each, and what to do. Empty: nothing. */
export function warningsText(lines: readonly string[], remedy: string): string {
  if (lines.length === 0) return '';
  return printableLines([...lines.map((line) => `mandate: warning: ${line}\n`), `  ${remedy}\n`].join(''));
}
