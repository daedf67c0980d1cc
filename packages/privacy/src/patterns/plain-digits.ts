/**
 * Replaces the digits of every script by 0 to 9 before a search. People also write `４１１１` and `٤١١١`, and a person
 * who wants to hide a number could use such digits.
 */
import type { Span } from './piece.ts';

export type PlainText = {
  readonly text: string;
  /** Returns the span in the original text. */
  placeOf(span: Span): Span;
};

/**
 * Matches characters from the first digit after ASCII on. Surrogate halves are included, because some digits need
 * them.
 */
const MAY_HOLD_OTHERS = /[\u0660-\uffff]/;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/u;

export function inPlainDigits(given: string): PlainText {
  if (!MAY_HOLD_OTHERS.test(given) || !OTHER_DIGIT.test(given)) {
    return { text: given, placeOf: (span) => span };
  }
  const places: number[] = [];
  let text = '';
  let at = 0;
  for (const sign of given) {
    const plain = OTHER_DIGIT.test(sign) ? decimalValue(sign) : sign;
    for (let unit = 0; unit < plain.length; unit += 1) places.push(at + unit);
    text += plain;
    at += sign.length;
  }
  places.push(at);
  const placeAt = (unit: number) => places[unit] ?? at;
  return { text, placeOf: ({ start, end }) => ({ start: placeAt(start), end: placeAt(end) }) };
}

/**
 * Returns the value of a digit. In Unicode the ten digits of a script are consecutive and begin with zero, and so are
 * several sets of digits (section 4.6).
 */
function decimalValue(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (OTHER_DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}
