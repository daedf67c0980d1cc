import { csvText } from './csv-text.ts';

/**
 * Returns a line of comma-separated values as in RFC 4180, but with LF as line break. The first line of a file
 * contains the column names.
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

/** Amounts in dollars get no apostrophe: they are no formulas, and people want to add them up. */
const AMOUNT = /^-\$[\d.]+$/;

/**
 * Returns the text of a cell. Absent values are empty, and objects are JSON. A text that looks like a formula gets an
 * apostrophe in front.
 */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const said = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || AMOUNT.test(said);
  const text = isNumber ? said : csvText(said);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
