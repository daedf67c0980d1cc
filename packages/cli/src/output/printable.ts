/** What agents write must not steer a person's terminal, or hide something from that person. */

/** Controls, format characters, halves, private and unassigned ones, line separators, and letters that show as nothing. */
const STEERING = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * On one line. It spells out each character that could move the cursor, change the colour, turn the reading direction, or
 * be there without being seen.
 */
export function printable(text: string): string {
  return text.replace(STEERING, spelt);
}

/** The same for text of several lines, with its line breaks. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** JSON that means the same, with those characters escaped: JSON itself leaves half of them as they are. */
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
