import { shorten } from '../argument-fault.ts';
import { FORMATS } from '../formats.ts';
import type { KeywordCompiler } from './keyword-compiler.ts';
import { type Check, StepsExhausted } from './run.ts';

/** Keywords that check a string. Lengths count code points, so an emoji beyond U+FFFF is one character. */
export const STRING_KEYWORDS = {
  minLength: (least: number): Check => {
    const expected = `at least ${characters(least)}`;
    return (value, run) => {
      const text = value as string;
      if (text.length < least) return run.fail(expected, value);
      run.spend(text.length >> 3);
      return text.length >= 2 * least || codePoints(text) >= least || run.fail(expected, value);
    };
  },
  maxLength: (most: number): Check => {
    const expected = `at most ${characters(most)}`;
    return (value, run) => {
      const text = value as string;
      if (text.length <= most) return true;
      run.spend(text.length >> 3);
      return (text.length <= 2 * most && codePoints(text) <= most) || run.fail(expected, value);
    };
  },
  pattern: (source: string, { compiler }): Check => {
    const pattern = compiler.pattern(source);
    const expected = shorten(`text that matches ${source}`, 200);
    return (value, run) => {
      const matches = pattern.test(value as string, run.stepBudget);
      if (run.stepBudget.left < 0) throw new StepsExhausted();
      return matches || run.fail(expected, value);
    };
  },
  format: (name: string): Check => {
    const fits = FORMATS[name] ?? (() => false);
    const expected = `text of the format ${name}`;
    return (value, run) => {
      run.spend((value as string).length >> 3);
      return fits(value as string) || run.fail(expected, value);
    };
  },
} satisfies Record<string, KeywordCompiler>;

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`;
}

/** Counts a surrogate pair as one character, and a lone surrogate also as one. */
function codePoints(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1) {
    if (isSurrogate(text, at, LOW) && isSurrogate(text, at - 1, HIGH)) count -= 1;
  }
  return count;
}

const HIGH = 0xd800;
const LOW = 0xdc00;

function isSurrogate(text: string, at: number, half: typeof HIGH | typeof LOW): boolean {
  return (text.charCodeAt(at) & 0xfc00) === half;
}
