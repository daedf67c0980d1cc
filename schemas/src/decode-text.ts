/**
 * Decodes bytes to text, strictly. A decoder that writes U+FFFD for unreadable bytes would change a name, and a list
 * that denies the name would no longer match it. All readers of files, bodies and records use these functions.
 */

/** `offset` counts bytes from 0. `line` and `column` count from 1, and a column is a UTF-16 unit. */
export type Utf8Fault = { offset: number; line: number; column: number; message: string };

export type DecodedText = { ok: true; text: string } | { ok: false; fault: Utf8Fault };

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

const BYTE_ORDER_MARK = '\uFEFF';

/** Decodes a file that a person saved. If the editor put a byte order mark at the beginning, the mark is removed. */
export function decodeFile(bytes: Uint8Array): DecodedText {
  const decoded = decodeText(bytes);
  if (!decoded.ok || !decoded.text.startsWith(BYTE_ORDER_MARK)) return decoded;
  return { ok: true, text: decoded.text.slice(BYTE_ORDER_MARK.length) };
}

/** Decodes bytes that a program sent. A byte order mark stays, so the text is then not valid JSON. */
export function decodeText(bytes: Uint8Array): DecodedText {
  const wide = wideEncodingOf(bytes);
  if (wide !== null)
    return { ok: false, fault: { offset: 0, line: 1, column: 1, message: notUtf8(0, bytes, wide) } };
  try {
    return { ok: true, text: strict.decode(bytes) };
  } catch {
    return { ok: false, fault: faultAt(firstBadByte(bytes), bytes) };
  }
}

function faultAt(offset: number, bytes: Uint8Array): Utf8Fault {
  const before = lenient.decode(bytes.subarray(0, offset));
  const lines = before.split('\n');
  const column = (lines.at(-1) ?? '').replace(/^\uFEFF/, '').length + 1;
  return {
    offset,
    line: lines.length,
    column,
    message: notUtf8(offset, bytes, probableEncoding(offset, bytes)),
  };
}

/** Returns a message that makes sense alone, or after the name of a file. */
function notUtf8(offset: number, bytes: Uint8Array, why: string): string {
  const byte = (bytes[offset] ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return `not UTF-8 at byte ${offset} (0x${byte}): ${why}`;
}

/** Detects UTF-16 and UTF-32. Otherwise most Latin text in UTF-16 would be read as UTF-8 with NUL characters. */
function wideEncodingOf([a, b, c, d]: Uint8Array): string | null {
  const save = (encoding: string) => `this is ${encoding}; save it as UTF-8`;
  if (a === 0xff && b === 0xfe) return save(c === 0 && d === 0 ? 'UTF-32' : 'UTF-16');
  if (a === 0xfe && b === 0xff) return save('UTF-16');
  if (a === 0 && b === 0 && c === 0xfe && d === 0xff) return save('UTF-32');
  if (a === 0x1f && b === 0x8b) return 'this is compressed by gzip; unpack it first';
  if ((a === 0 && b !== undefined && b !== 0) || (a !== undefined && a !== 0 && b === 0))
    return save('UTF-16 without a byte order mark');
  return null;
}

function probableEncoding(offset: number, bytes: Uint8Array): string {
  const byte = bytes[offset] as number;
  const next = bytes[offset + 1];
  if (isCutOff(offset, bytes)) return 'the text ends within a character: it was cut off';
  if (byte === 0xed && next !== undefined && next >= 0xa0 && isContinuation(next))
    return 'half of a character is encoded alone, as in CESU-8';
  if ((byte === 0xc0 || byte === 0xc1) && next !== undefined && isContinuation(next))
    return 'a character takes more bytes than it needs';
  const encoding = bytes.subarray(offset).some((one) => one >= 0x80 && one < 0xa0)
    ? 'Windows-1252, or another old encoding'
    : 'Latin-1 or Windows-1252';
  const character = new TextDecoder('windows-1252').decode(Uint8Array.of(byte));
  const meant = /\p{C}/u.test(character) ? '' : `, where it is "${character}"`;
  return `the text is probably ${encoding}${meant}; save it as UTF-8`;
}

/** True if the text seems to be UTF-8 that was cut off inside a character. The bytes around the fault show this. */
function isCutOff(offset: number, bytes: Uint8Array): boolean {
  const rest = bytes.subarray(offset + 1);
  const wasUtf8 = rest.length > 0 || bytes.subarray(0, offset).some((byte) => byte >= 0x80);
  return wasUtf8 && rest.length + 1 < lengthAfter(bytes[offset] as number) && rest.every(isContinuation);
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

/** Returns the length in bytes of a character that begins with this byte. 1 if no character begins with it. */
function lengthAfter(byte: number): number {
  if (byte >= 0xc2 && byte < 0xe0) return 2;
  if (byte >= 0xe0 && byte < 0xf0) return 3;
  return byte >= 0xf0 && byte < 0xf5 ? 4 : 1;
}

/**
 * Returns the offset of the first byte at which no valid character begins, by the table of RFC 3629. The decoder does
 * not report where it stopped.
 */
function firstBadByte(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const first = bytes[at] as number;
    const length = lengthAfter(first);
    if (length === 1 && first >= 0x80) return at;
    for (let nth = 1; nth < length; nth++) {
      const byte = bytes[at + nth];
      if (byte === undefined || byte < leastAfter(first, nth) || byte > mostAfter(first, nth)) return at;
    }
    at += length;
  }
  return at;
}

/** Returns the lowest valid second byte. A lower byte would encode a character that fewer bytes can encode. */
function leastAfter(first: number, nth: number): number {
  if (nth > 1) return 0x80;
  return first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
}

/**
 * Returns the highest valid second byte. A higher byte would encode a surrogate, or a character after the last
 * character of Unicode.
 */
function mostAfter(first: number, nth: number): number {
  if (nth > 1) return 0xbf;
  return first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
}
