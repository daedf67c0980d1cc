const ASCII = /^[\0-\x7f]*$/;

/**
 * Returns the text with small letters instead of capitals. No character moves: a letter with a longer counterpart
 * (`ß`, `İ`) does not change. In folded texts, two characters become equal exactly if they are equal for a pattern
 * that ignores case.
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
  // The letter first becomes a capital, because two small letters (σ and ς) can share one capital.
  const capital = oneCharacter(character.toUpperCase(), character);
  return oneCharacter(capital.toLowerCase(), oneCharacter(character.toLowerCase(), character));
}

function oneCharacter(changed: string, otherwise: string): string {
  return changed.length === otherwise.length && [...changed].length === 1 ? changed : otherwise;
}
