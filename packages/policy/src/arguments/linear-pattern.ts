import { RE2JS, RE2JSException } from 're2js';
import { PatternRefused, patternToRe2 } from './pattern-to-re2.ts';

/** The part of a RegExp that ajv uses. */
export interface LinearPattern {
  test(text: string): boolean;
  toString(): string;
}

/** A longer pattern would be a program, and compiling it takes time in which nothing else is decided. */
const LONGEST_PATTERN = 1_000;

/**
 * Compiles an ECMAScript pattern for an automaton whose time is linear in the text, so that no argument an agent
 * sends can hold the process up (V8 needs half a minute for `(a+)+$` on 28 characters). Throws PatternRefused.
 */
export function linearPattern(pattern: string): LinearPattern {
  if (pattern.length > LONGEST_PATTERN) {
    throw new PatternRefused(`${pattern.slice(0, 40)}…`, `it is longer than ${LONGEST_PATTERN} characters`);
  }
  const compiled = compileRe2(pattern);
  // ajv files compiled patterns by what toString says, so it must tell them apart.
  return { test: (text) => compiled.test(text), toString: () => `/${pattern}/` };
}

function compileRe2(pattern: string): RE2JS {
  try {
    return RE2JS.compile(patternToRe2(pattern));
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternRefused(pattern, error.message);
    throw error;
  }
}
