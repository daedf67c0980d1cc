/**
 * Hashed n-grams of words: a simple embedding that needs no model and no network, and is the same on every machine. Texts
 * with the same words are near each other. A program would use the embeddings of a model, which also know synonyms.
 */
export const DIMENSIONS = 128;

/** Returns the vector of a text in the form of sqlite-vec: floats of 32 bits. It is never the zero vector. */
export function hashedNgrams(text: string): Uint8Array {
  const vector = new Float32Array(DIMENSIONS);
  const add = (gram: string) => {
    const at = hash(gram) % DIMENSIONS;
    vector[at] = (vector[at] ?? 0) + 1;
  };
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  words.forEach(add);
  // The empty words at both ends make a pair even where the text has no word.
  const ended = ['', ...words, ''];
  for (const [at, word] of ended.slice(1).entries()) add(`${ended[at]} ${word}`);
  return new Uint8Array(vector.buffer);
}

/** FNV-1a with 32 bits, on UTF-16 units. */
function hash(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return sum >>> 0;
}
