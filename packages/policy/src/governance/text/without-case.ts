const ASCII = /^[\0-\x7f]*$/;

/**
 * Returns the text with one letter for each pair of a capital and a small letter. Every character stays at its
 * place: a letter with a longer counterpart (`ß`, `İ`) stays as it is. In folded texts, two characters become equal
 * exactly if a pattern that ignores case takes one for the other.
 */
export function withoutCase(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  let small = '';
  for (const character of text) small += smallLetter(character);
  return small;
}

function smallLetter(character: string): string {
  if (ASCII.test(character)) return character.toLowerCase();
  // The capital of the dotless ı is I, but the two are different letters.
  if (character === 'ı') return character;
  // The capital comes first, because two small letters can share it: σ and ς.
  const capital = oneCharacter(character.toUpperCase(), character);
  return oneCharacter(capital.toLowerCase(), oneCharacter(character.toLowerCase(), character));
}

function oneCharacter(changed: string, otherwise: string): string {
  return changed.length === otherwise.length && [...changed].length === 1 ? changed : otherwise;
}
