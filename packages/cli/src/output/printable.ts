/** What agents write must not steer the terminal of whoever looks at it. */

const STEERING = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** On one line, every character that could move the cursor, change the colour or turn the reading direction is spelt out. */
export function printable(text: string): string {
  return text.replace(STEERING, spelt);
}

/** The same for text of several lines, whose line breaks stay. */
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
