/**
 * Checks host name labels that begin with `xn--`. Such a label encodes letters beyond ASCII. The standard IDNA
 * restricts the letters and their order. Programs do not display a label that breaks these rules, or display it as
 * another name.
 */

/**
 * True if the label is valid by RFC 5891 and 5892, with the Unicode version of this runtime. Every label with a
 * joiner is refused, because joiners are invisible.
 */
export function isALabel(label: string): boolean {
  const text = decodePunycode(label.slice('xn--'.length).toLowerCase());
  if (text === null || !/[^\0-\x7f]/.test(text) || !ALLOWED.test(text) || FORBIDDEN.test(text)) return false;
  const folded = text.normalize('NFKC').toLowerCase().normalize('NFKC');
  if (folded !== text.normalize('NFKC') || text !== text.normalize('NFC')) return false;
  return !OUT_OF_CONTEXT.some((pattern) => pattern.test(text)) && isOneDirection(text);
}

const ALLOWED =
  /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u00b7\u0375\u06fd\u06fe\u0f0b\u3007\u30fb\u05f3\u05f4-]+$/u;
/**
 * Matches characters that RFC 5892 section 2.6 excludes, old Hangul, and invisible characters. Also matches a
 * combining mark at the beginning, and a hyphen at either end.
 */
const FORBIDDEN =
  /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\p{Default_Ignorable_Code_Point}]|^\p{M}|^-|-$|^..--/u;
/** Matches characters that are not allowed beside their neighbours (RFC 5892 appendix A, rules 3 to 9). */
const OUT_OF_CONTEXT = [
  /(?<!l)\u00b7|\u00b7(?!l)/u,
  /\u0375(?!\p{Script=Greek})/u,
  /(?<!\p{Script=Hebrew})[\u05f3\u05f4]/u,
  /^[^\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]*\u30fb[^\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]*$/u,
  /[\u0660-\u0669].*[\u06f0-\u06f9]|[\u06f0-\u06f9].*[\u0660-\u0669]/u,
];

const RIGHT_TO_LEFT =
  '\\p{Script=Hebrew}\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Thaana}\\p{Script=Nko}\\p{Script=Adlam}';
const HAS_RIGHT_TO_LEFT = new RegExp(`[${RIGHT_TO_LEFT}]`, 'u');
const ALL_RIGHT_TO_LEFT = new RegExp(`^[${RIGHT_TO_LEFT}][${RIGHT_TO_LEFT}\\p{M}\\p{Nd}-]*$`, 'u');

/** Checks the main rule of RFC 5893: a label with right-to-left letters contains no left-to-right letters. */
function isOneDirection(text: string): boolean {
  return !HAS_RIGHT_TO_LEFT.test(text) || ALL_RIGHT_TO_LEFT.test(text);
}

/** Decodes Punycode (RFC 3492 section 6.2). Returns null if the text is not valid Punycode. */
function decodePunycode(code: string): string | null {
  const plainEnd = code.lastIndexOf('-');
  const points = [...code.slice(0, Math.max(plainEnd, 0))].map((char) => char.charCodeAt(0));
  let [point, at, bias] = [128, 0, 72];
  for (let next = plainEnd + 1; next < code.length; ) {
    const before = at;
    for (let weight = 1, k = 36; ; k += 36) {
      const digit = next < code.length ? digitOf(code.charCodeAt(next)) : -1;
      next += 1;
      if (digit < 0) return null;
      at += digit * weight;
      const threshold = Math.min(Math.max(k - bias, 1), 26);
      if (digit < threshold) break;
      weight *= 36 - threshold;
    }
    const count = points.length + 1;
    bias = adaptedBias(at - before, count, before === 0);
    point += Math.floor(at / count);
    at %= count;
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return null;
    points.splice(at, 0, point);
    at += 1;
  }
  return String.fromCodePoint(...points);
}

function digitOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x61;
  return unit >= 0x30 && unit <= 0x39 ? unit - 0x30 + 26 : -1;
}

function adaptedBias(delta: number, count: number, isFirst: boolean): number {
  let left = Math.floor(delta / (isFirst ? 700 : 2));
  left += Math.floor(left / count);
  let k = 0;
  for (; left > 455; k += 36) left = Math.floor(left / 35);
  return k + Math.floor((36 * left) / (left + 38));
}
