import { printableLines } from './printable.ts';

/** What is not as it may be meant, for stderr: a line each, and what to do. Empty: nothing. */
export function warningsText(lines: readonly string[], remedy: string): string {
  if (lines.length === 0) return '';
  return printableLines([...lines.map((line) => `mandate: warning: ${line}\n`), `  ${remedy}\n`].join(''));
}
