/** Decodes the encoded words of mail headers (RFC 2047): `=?utf-8?q?J=C3=BCrgen?=`. */

const WORD = /=\?([\w-]{1,40})(?:\*[\w-]{0,20})?\?([bq])\?([^?\s]{0,4096})\?=(?:\s+(?==\?))?/gi;
const ANY = /=\?[^?\s]{0,80}\?[bq]\?/i;

/**
 * Returns the text with its encoded words decoded. Null if a word cannot be decoded, because its content is then
 * unknown.
 */
export function withDecodedWords(text: string): string | null {
  if (!ANY.test(text)) return text;
  let isKnown = true;
  const decoded = text.replace(WORD, (_, charset: string, encoding: string, content: string) => {
    const word = decodeWord(charset, encoding.toLowerCase(), content);
    isKnown &&= word !== null;
    return word ?? '';
  });
  return isKnown && !ANY.test(decoded) ? decoded : null;
}

function decodeWord(charset: string, encoding: string, content: string): string | null {
  try {
    const bytes = encoding === 'b' ? atob(content) : quotedPrintable(content);
    return new TextDecoder(charset, { fatal: true }).decode(
      Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
    );
  } catch {
    return null;
  }
}

function quotedPrintable(content: string): string {
  return content
    .replaceAll('_', ' ')
    .replace(/=([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
