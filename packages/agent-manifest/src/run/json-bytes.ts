import type { Json } from '@mandate/schemas';

/** Returns the size of a value as JSON text, in bytes of UTF-8. */
export function jsonBytes(value: Json): number {
  let bytes = 0;
  for (const character of JSON.stringify(value)) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
