/**
 * Compares numbers in documents with their text. The enforced number must equal the written number to the last digit.
 */

const NUMBER = /^[-+]?(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([-+]?\d{1,4}))?$/;
const LONGEST = 64;

/**
 * Returns null if the number in the text `source` of a YAML document is exactly `value`. Otherwise returns the
 * reason.
 */
export function inexactness(source: string, value: number): string | null {
  const written = source.length > LONGEST ? null : decimalOf(source);
  if (written === null) return `${shown(source)} must be written as a plain decimal number, as in 0.25`;
  return written === decimalOf(String(value)) ? null : `${shown(source)} cannot be stored exactly`;
}

/**
 * Returns the significant digits and the power of ten. The result is the same for equal numbers, however they are
 * written and whatever their sign.
 */
function decimalOf(text: string): string | null {
  const match = NUMBER.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

function shown(source: string): string {
  return source.length > LONGEST ? `${source.slice(0, LONGEST)}…` : source;
}
