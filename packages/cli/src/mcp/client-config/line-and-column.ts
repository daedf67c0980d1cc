/** Returns the line and the column of a place in a text, for a person with an editor. */
export function lineAndColumn(text: string, at: number): string {
  const lines = text.slice(0, at).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}
