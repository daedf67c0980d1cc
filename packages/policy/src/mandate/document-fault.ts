/** A fault in a document. `line` and `column` count from 1. `path` is dotted, and empty for the file as a whole. */
export type DocumentFault = { line: number; column: number; path: string; message: string };

/** Returns the fault of a file for which the parser threw an exception. Some hostile input causes this. */
export function faultOfParser(error: unknown): DocumentFault {
  return { line: 1, column: 1, path: '', message: error instanceof Error ? error.message : String(error) };
}

/** Returns a fault in the form that people and editors read: `mandates.yaml:12:3 budgets.0.max: must be …`. */
export function describeFault(
  file: string,
  { line, column, path, message }: DocumentFault,
  severity: '' | 'warning: ' = '',
): string {
  return `${file}:${line}:${column} ${severity}${path === '' ? '' : `${path}: `}${message}`;
}
