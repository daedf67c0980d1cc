/**
 * Makes ids that contain a time: a prefix, ten characters of base 32 for the milliseconds, then a hash. As plain text
 * the ids sort by time, and a store can find an id without an index.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 10;

/** Makes an id: `dec` + time + hexadecimal hash → `dec_01kx…`. The id contains 80 bits of the hash. */
export function sortableId(prefix: string, atMs: number, hashHex: string): string {
  let time = '';
  for (let rest = atMs; time.length < TIME_LENGTH; rest = Math.floor(rest / 32)) {
    time = ALPHABET.charAt(rest % 32) + time;
  }
  return `${prefix}_${time}${hashHex.slice(0, 20)}`;
}

/** Returns the time in an id, in milliseconds. Null if the id has another form. */
export function timeOfId(id: string): number | null {
  const time = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-f]{20}$/.exec(id)?.[1];
  if (time === undefined) return null;
  return Array.from(time).reduce((sum, letter) => sum * 32 + ALPHABET.indexOf(letter), 0);
}
