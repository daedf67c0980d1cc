/** Estimates tokens without a tokenizer. An estimate is needed before a call, and for a stream that ended early. */

/** Texts in English have about four bytes a token. Three makes the estimate too high rather than too low. */
const BYTES_PER_TOKEN = 3;

const encoder = new TextEncoder();

export function bytesOf(text: string): number {
  return encoder.encode(text).byteLength;
}

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
