/** Comma-separated values as RFC 4180 has them, line breaks aside: a name for each column, then a line for each row. */
export function csvLine(cells: readonly unknown[]): string {
  return `${cells.map(csvCell).join(',')}\n`;
}

/** Absent is empty; what has a shape of its own is JSON. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
