/**
 * Characters that take one column. All other characters count as two columns. For some of them this is too much,
 * which only makes a line shorter.
 */
const ONE_COLUMN = /^[\x20-\x7e]$/;

/**
 * Breaks a line after `width` columns, also within words. Each further line begins with `indent`. So no part of the text
 * reaches the margin, as it would where the terminal breaks a line itself.
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
