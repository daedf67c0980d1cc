/** Text that agents write must not steer a person's terminal, or hide anything from that person. */

/**
 * Control and format characters, halves of surrogate pairs, private and unassigned characters, line separators, and
 * characters that show as nothing.
 */
const STEERING = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * Returns the text on one line. Escapes each character that could move the cursor, change the colour, change the
 * reading direction, or be invisible.
 */
export function printable(text: string): string {
  return text.replace(STEERING, spelt);
}

/** The same as `printable`, but the line breaks of the text stay. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** Returns JSON with the same value, with these characters escaped. JSON.stringify escapes only some of them. */
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
