/** What stands in JSON without quotes: a number that can be held exactly enough, `true`, `false` or `null`. */
import { JsonFault, legible } from './json-fault.ts';
import type { Json } from './scalars.ts';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads a word that stands at `at`; `-0` is read as 0. Throws a `JsonFault`. */
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
      'write numbers as 12, -0.5 or 1e3, words in quotes, and null for what is not a number',
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
  return number === 0 ? 0 : number;
}
