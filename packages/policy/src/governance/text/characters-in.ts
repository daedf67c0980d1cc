/** Returns the number of characters of a text. A character is a Unicode code point. */
export function charactersIn(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}
