/**
 * Ids that carry a time: prefix, ten characters of base 32 for the milliseconds, then a hash. They sort by time as
 * plain text, and a store can find one without an index on it.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 10;

/** `dec` + time + hexadecimal hash → `dec_01kx…`; of the hash, 80 bits are kept. */
export function sortableId(prefix: string, atMs: number, hashHex: string): string {
  let time = '';
  for (let rest = atMs; time.length < TIME_LENGTH; rest = Math.floor(rest / 32)) {
    time = ALPHABET.charAt(rest % 32) + time;
  }
  return `${prefix}_${time}${hashHex.slice(0, 20)}`;
}

/** The milliseconds that an id carries; null when it is not of this form. */
export function timeOfId(id: string): number | null {
  const time = /^[a-z]+_([0-9a-hjkmnp-tv-z]{10})[0-9a-f]{20}$/.exec(id)?.[1];
  if (time === undefined) return null;
  return Array.from(time).reduce((sum, letter) => sum * 32 + ALPHABET.indexOf(letter), 0);
}
