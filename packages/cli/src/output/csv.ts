import { csvText } from '@mandate/schemas';

/**
 * A line of comma-separated values as in RFC 4180, but with LF as line break. The first line of a file contains the
 * column names.
 */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

/** An amount in dollars is not a formula, and people want to add amounts up. */
const AMOUNT = /^-\$[\d.]+$/;

/** An absent value is an empty cell. Objects and lists are JSON. A text that looks like a formula is guarded. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const said = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || AMOUNT.test(said);
  const text = isNumber ? said : csvText(said);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
