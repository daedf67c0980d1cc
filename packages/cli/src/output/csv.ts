/** Comma-separated values as RFC 4180 has them, line breaks aside: a name for each column, then a line for each row. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

/** How a text begins that a spreadsheet takes for a formula; some take the full-width signs (U+FF1D …) for the plain. */
const FORMULA = /^[=+@\t\r\n＝＋－＠-]/;
const AMOUNT = /^-\$[\d.]+$/;

/** Absent is empty; what has a shape of its own is JSON; what would be a formula has an apostrophe in front. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const said = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isFormula = typeof value === 'string' && FORMULA.test(value) && !AMOUNT.test(value);
  const text = isFormula ? `'${said}` : said;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
