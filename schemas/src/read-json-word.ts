/**
 * Reads words of JSON without quotes: `true`, `false`, `null`, and numbers that JavaScript represents without losing
 * a digit.
 */
import { JsonFault, legible } from './json-fault.ts';
import type { Json } from './scalars.ts';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads the word at `at`. `-0` is read as 0. Throws a `JsonFault`. */
export function readJsonWord(word: string, at: number): Json {
  switch (word) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
      return null;
    default:
      return readNumber(word, at);
  }
}

function readNumber(word: string, at: number): number {
  if (!NUMBER.test(word)) {
    throw new JsonFault(
      `${legible(word)} is not JSON`,
      at,
      'write numbers as 12, -0.5 or 1e3, words in quotes, and null if there is no number',
    );
  }
  const number = Number(word);
  if (!Number.isFinite(number)) {
    throw new JsonFault(
      `the number ${legible(word)} is too large`,
      at,
      'send a smaller one, or its digits as a string',
    );
  }
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) {
    throw new JsonFault(
      `the integer ${legible(word)} is beyond 2^53-1 and would be rounded`,
      at,
      'send a smaller one, or its digits as a string',
    );
  }
  if (!isHeld(word, number)) {
    throw new JsonFault(
      `the number ${legible(word)} would be rounded to ${number}`,
      at,
      'send it with 15 significant digits at most, or its digits as a string',
    );
  }
  return number === 0 ? 0 : number;
}

/** The number of significant digits that every JavaScript number of usual magnitude represents exactly. */
const ALWAYS_HELD = 15;
/** The maximum number of digits that `toPrecision` gives. */
const MOST_DIGITS = 100;

/** True if JavaScript represents the number without losing any of its digits. */
function isHeld(word: string, number: number): boolean {
  if (word.length <= ALWAYS_HELD && !/e/i.test(word)) return true;
  const digits = significantDigits(word);
  if (digits === '') return true;
  if (digits.length > MOST_DIGITS || number === 0) return false;
  return significantDigits(number.toPrecision(digits.length)) === digits;
}

/**
 * Removes zeros at the end. A loop is used, because a regular expression takes quadratic time in a long row of zeros.
 */
function significantDigits(written: string): string {
  const [mantissa = ''] = written.split(/e/i);
  const digits = mantissa.replace(/[-.]/g, '');
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  return digits.slice(start, end);
}
