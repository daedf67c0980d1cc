/** Escapes text of agents, which must not steer a person's terminal or hide anything from a person. */

/**
 * Characters that may steer a terminal: control and format characters, line separators, halves of surrogate pairs,
 * and characters that are invisible, private or not assigned.
 */
const STEERING = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns the text on one line. Escapes each character that could move the cursor, change the colour, change the
 * reading direction, or be invisible.
 */
export function printable(text: string): string {
  return text.replace(STEERING, spelt);
}

/** Returns the text like `printable`, but keeps its line breaks. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** Returns JSON with these characters escaped and the same value. JSON.stringify escapes only some of them. */
export function printableJson(json: string): string {
  return json.replace(STEERING, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function spelt(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
