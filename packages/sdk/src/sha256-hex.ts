/**
 * SHA-256, as FIPS 180-4 defines it. WebCrypto returns only a promise of it, and a call must be copied before anything
 * waits. Plane mode loads no library, so the algorithm is written out here.
 */
const BLOCK_BYTES = 64;
/** The bit 1 after the text, and the length of the text in 8 bytes. */
const PADDING_BYTES = 9;

const PRIMES = primes(64);
/** The constants of the standard: the first 32 bits of the fractional parts of roots of primes. */
const ROUND_CONSTANTS = PRIMES.map((prime) => fractionOf(Math.cbrt(prime)));
const START = PRIMES.slice(0, 8).map((prime) => fractionOf(Math.sqrt(prime)));

/** Returns the SHA-256 of the text in UTF-8, as 64 lower-case hex digits. */
export function sha256Hex(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const { length } = bytes;
  const padded = new Uint8Array(Math.ceil((length + PADDING_BYTES) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(bytes);
  padded[length] = 0x80;
  const message = new DataView(padded.buffer);
  message.setUint32(padded.length - 8, length / 2 ** 29);
  message.setUint32(padded.length - 4, length * 8);
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    for (let word = 0; word < 16; word += 1) words[word] = message.getInt32(at + 4 * word);
    addBlock(state, words);
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** @param words the 16 words of the block, and room for 48 more */
function addBlock(state: Int32Array, words: Int32Array): void {
  const word = (at: number) => words[at] as number;
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [word(at - 15), word(at - 2)];
    const mixedEarly = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const mixedLate = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[at] = word(at - 16) + mixedEarly + word(at - 7) + mixedLate;
  }
  // The names of the standard.
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let at = 0; at < 64; at += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const mixedE = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const mixedA = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const next = h + mixedE + choice + (ROUND_CONSTANTS[at] as number) + word(at);
    [h, g, f, e] = [g, f, e, (d + next) | 0];
    [d, c, b, a] = [c, b, a, (next + mixedA + majority) | 0];
  }
  for (const [at, added] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] as number) + added;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function fractionOf(root: number): number {
  return ((root % 1) * 2 ** 32) | 0;
}

function primes(count: number): readonly number[] {
  const found: number[] = [];
  for (let number = 2; found.length < count; number += 1)
    if (found.every((prime) => number % prime !== 0)) found.push(number);
  return found;
}
