import { PatternRefused } from '../../arguments/pattern-to-re2.ts';
import { ESCAPE } from './pattern-tree.ts';

const OF_WORDS = '\\p{L}\\p{M}\\p{N}_';
/**
 * The characters that `\W` adds to a class: every category except letters, marks and numbers, and every connector
 * except `_`. RE2 can negate one category within a class, but not several categories together.
 */
const NOT_OF_WORDS =
  '\\p{C}\\p{Pd}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Po}\\p{S}\\p{Z}' +
  '\\u203f\\u2040\\u2054\\ufe33\\ufe34\\ufe4d-\\ufe4f\\uff3f';

const ESCAPES = new RegExp(ESCAPE, 'gu');
const NOT_OF_ONE_CASE = /^\\P\{(?:[^=}]*=)?(?:L[ult]|LC|(?:Upper|Lower|Title)case_Letter|Cased_Letter)\}$/;

/** Rewrites one character or class of a pattern, so that `\w` and `\d` contain characters of all scripts. */
export function withUnicodeClasses(source: string, pattern: string): string {
  if (source.startsWith('[')) return source.replace(ESCAPES, (token) => inClass(token, pattern));
  if (source === '\\w') return `[${OF_WORDS}]`;
  if (source === '\\W') return `[^${OF_WORDS}]`;
  return inClass(source, pattern);
}

function inClass(token: string, pattern: string): string {
  if (NOT_OF_ONE_CASE.test(token)) {
    throw new PatternRefused(
      pattern,
      `${token} has no meaning where capitals and small letters are the same`,
    );
  }
  if (token === '\\w') return OF_WORDS;
  if (token === '\\W') return NOT_OF_WORDS;
  if (token === '\\d') return '\\p{Nd}';
  if (token === '\\D') return '\\P{Nd}';
  return token;
}
