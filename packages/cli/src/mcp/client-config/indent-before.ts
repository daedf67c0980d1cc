const END_OF_BLANKS = /\r?\n[\t ]*$/;

/**
 * Returns the line break and the indentation before a place. Null if other text stands before the place on its line.
 */
export function indentBefore(text: string, at: number): string | null {
  // No indentation is longer.
  return END_OF_BLANKS.exec(text.slice(Math.max(0, at - 200), at))?.[0] ?? null;
}
