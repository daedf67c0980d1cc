/**
 * Characters that are one column wide. All others count as two columns. If a character is narrower, the line only
 * gets shorter.
 */
const ONE_COLUMN = /^[\x20-\x7e]$/;

/**
 * Breaks a line after `width` columns, also within words. Each further line begins with `indent`. Without this, the
 * terminal would break the line, and text would start at the margin.
 *
 * @param width in columns; Infinity leaves the line whole
 */
export function hardWrap(text: string, width: number, indent: string): string[] {
  if (width === Number.POSITIVE_INFINITY) return [text];
  const room = Math.max(width, indent.length + 2);
  const lines: string[] = [];
  let line = '';
  let taken = 0;
  for (const character of text) {
    const columns = ONE_COLUMN.test(character) ? 1 : 2;
    if (taken + columns > room) {
      lines.push(line);
      line = indent;
      taken = indent.length;
    }
    line += character;
    taken += columns;
  }
  return [...lines, line];
}
