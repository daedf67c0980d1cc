/**
 * How often percent-encoding is decoded. A text that is still encoded after that is refused, because it hides
 * something.
 */
const MOST_ENCODINGS = 4;

/**
 * Returns a text as the most lenient reader of paths would read it. Percent-encoding is decoded, also overlong
 * encodings of `.`, `/` and `\`. Look-alikes of dots and slashes are replaced. Letters are in lower case. Null if the
 * text is encoded too many times.
 */
export function pathText(text: string): string | null {
  let decoded = text;
  for (let round = 0; ENCODED.test(decoded); round += 1) {
    if (round === MOST_ENCODINGS) return null;
    decoded = decoded.replace(ENCODED_RUNS, decodeRun);
  }
  const plain = /^[\0-\x7f]*$/.test(decoded) ? decoded : decoded.normalize('NFKC').replace(LOOKALIKES, '/');
  return plain.toLowerCase();
}

const ENCODED = /%[0-9a-f]{2}/i;
const ENCODED_RUNS = /(?:%[0-9a-f]{2})+/gi;
/**
 * Characters that look like a slash, but that Unicode normalization does not change into `/`: division slash,
 * fraction slash, big solidus and others.
 */
const LOOKALIKES = /[\u2044\u2215\u29f8\u29f5\u29f9\u2216\ufe68]/g;
/** `.`, `/` and `\` encoded in two bytes instead of one. UTF-8 forbids this, but careless readers accept it. */
const OVERLONG = new Map([
  [0xc0ae, 0x2e],
  [0xc0af, 0x2f],
  [0xc19c, 0x5c],
]);

function decodeRun(run: string): string {
  const bytes: number[] = [];
  for (let at = 1; at < run.length; at += 3) {
    const byte = Number.parseInt(run.slice(at, at + 2), 16);
    const overlong = OVERLONG.get(((bytes.at(-1) ?? 0) << 8) | byte);
    if (overlong === undefined) bytes.push(byte);
    else bytes[bytes.length - 1] = overlong;
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
