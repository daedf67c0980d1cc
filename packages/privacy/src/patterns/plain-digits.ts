/**
 * A text as if its digits of every script were 0 to 9: people type `４１１１` and `٤١١١` too, and a person who hides a number
 * would type it so.
 */
import type { Span } from './piece.ts';

export type PlainText = {
  readonly text: string;
  /** Where what stands there stands in the text that was given. */
  placeOf(span: Span): Span;
};

/** From the first digit behind ASCII on; halves of characters beyond the first plane are in it. */
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

/** Unicode has the digits of a script in a row, from its zero on, and whole rows where it has several (section 4.6). */
function decimalValue(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let first = code;
  while (OTHER_DIGIT.test(String.fromCodePoint(first - 1))) first -= 1;
  return String((code - first) % 10);
}
