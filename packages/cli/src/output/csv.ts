import { csvText } from '@mandate/schemas';

/** Comma-separated values as RFC 4180 has them, line breaks aside: a name for each column, then a line for each row. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

/** An amount in dollars is no formula, and people want to sum it up. */
const AMOUNT = /^-\$[\d.]+$/;

/** An absent value is an empty cell. Objects and lists are JSON. No text is a formula. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const said = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isNumber = typeof value === 'number' || typeof value === 'bigint' || AMOUNT.test(said);
  const text = isNumber ? said : csvText(said);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
