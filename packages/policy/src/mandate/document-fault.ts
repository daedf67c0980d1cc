/** `line` and `column` count from 1; `path` is dotted, empty for the file as a whole. */
export type DocumentFault = { line: number; column: number; path: string; message: string };

/** As a person wants to read it, and an editor to jump there: `mandates.yaml:12:3 budgets.0.max: must be …`. */
export function describeFault(
  file: string,
  { line, column, path, message }: DocumentFault,
  severity: '' | 'warning: ' = '',
): string {
  return `${file}:${line}:${column} ${severity}${path === '' ? '' : `${path}: `}${message}`;
}
