/** Decodes the encodings in which a text can hide the characters of an address. */

/** Matches bytes in percent-encoding or quoted-printable. A character beyond ASCII takes several bytes. */
const BYTES = /(?:%[0-9a-f]{2})+|(?:=[0-9a-f]{2})+/gi;
const SIGN = /&#(?:x0*([0-9a-f]{1,6})|0*(\d{1,7}));|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&([a-z]{2,14});/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  commat: '@',
  period: '.',
  lt: '<',
  gt: '>',
  comma: ',',
  shy: '',
  zwj: '',
  zwnj: '',
  zerowidthspace: '',
  nobreak: '',
};
/** Matches a soft line break of quoted-printable: the text continues on the next line without a break. */
const SOFT_BREAK = /=\r?\n/g;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** How often encodings are decoded, because one encoding can contain another: `%2540`. */
const ROUNDS = 3;

/** Decodes percent-encoding, quoted-printable, HTML entities and JSON escapes, and removes invisible characters. */
export function withPlainSigns(text: string): string {
  let plain = text.replace(SOFT_BREAK, '');
  for (let round = 0; round < ROUNDS; round += 1) {
    plain = plain.replace(BYTES, decodeBytes).replace(SIGN, decodeSign).replace(INVISIBLE, '');
  }
  return plain;
}

function decodeBytes(encoded: string): string {
  const bytes = encoded.match(/[0-9a-f]{2}/gi) ?? [];
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)));
}

function decodeSign(encoded: string, ...groups: readonly unknown[]): string {
  const [hex, decimal, escaped, byte, entity] = groups;
  if (typeof entity === 'string') return ENTITIES[entity.toLowerCase()] ?? encoded;
  const code =
    typeof decimal === 'string' ? Number(decimal) : Number.parseInt(String(hex ?? escaped ?? byte), 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : encoded;
}

const COMMENT = /\([^()]*\)/g;
const DEEPEST_COMMENT = 8;

/**
 * Removes comments, and blanks beside the dots of a domain. Neither is part of an address (RFC 5322, 3.2.2 and 4.4).
 */
export function withoutComments(text: string): string {
  let bare = text;
  for (let depth = 0; depth < DEEPEST_COMMENT; depth += 1) {
    const inner = bare.replace(COMMENT, ' ');
    if (inner === bare) break;
    bare = inner;
  }
  return bare.replace(/(?<!\s)\s+\.\s*/g, '.').replace(/(@[^\s.@]{1,63})\.\s+/g, '$1.');
}
