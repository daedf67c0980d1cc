import { RE2JS, RE2JSException } from 're2js';
import { type Effort, takes } from '../effort.ts';
import { endlessRoom, PATTERNS_TOO_LARGE, patternSize } from './pattern-size.ts';
import { PatternRefused, patternToRe2 } from './pattern-to-re2.ts';
import { unknownClass } from './unicode-classes.ts';

export interface LinearPattern {
  /** So many steps it takes for a character at most. */
  readonly size: number;
  /** False where there is no effort left for it: then `effort.left` is below 0, and nothing is known. */
  test(text: string, effort: Effort): boolean;
  toString(): string;
}

/** A longer pattern would be a program. */
const LONGEST_PATTERN = 1_000;
/**
 * The cost of compiling, as characters of a text: an answer must not depend on which request needed the pattern first.
 */
const COMPILING = 16;

/**
 * Reads an ECMAScript pattern for an automaton that takes linear time in the text, so that no argument an agent sends can
 * hold the process up (V8 needs half a minute for `(a+)+$` on 28 characters). Throws PatternRefused.
 *
 * Each test takes its size times the length of the text, whatever the text is: the automaton takes far less where it can, and
 * no more. It is compiled when it is first needed.
 *
 * @param room how large it and the patterns behind it may be together: it takes its own
 */
export function linearPattern(pattern: string, room: Effort = endlessRoom()): LinearPattern {
  if (pattern.length > LONGEST_PATTERN) {
    throw new PatternRefused(`${pattern.slice(0, 40)}…`, `it is longer than ${LONGEST_PATTERN} characters`);
  }
  const re2 = patternToRe2(pattern);
  const size = patternSize(pattern);
  if (!takes(room, size)) throw new PatternRefused(pattern, `with it the document ${PATTERNS_TOO_LARGE}`);
  const unknown = unknownClass(re2);
  if (unknown !== null) throw new PatternRefused(pattern, unknown);
  const program = { size, re2, compiled: null, turn: -1 };
  return {
    size,
    test(text, effort) {
      if (!takes(effort, size * (text.length + COMPILING))) return false;
      try {
        return compiled(pattern, program).test(text);
      } catch (error) {
        if (!(error instanceof PatternRefused)) throw error;
        effort.left = -1;
        return false;
      }
    },
    // ajv files patterns by what toString says, so it must tell them apart.
    toString: () => `/${pattern}/`,
  };
}

type Program = { readonly size: number; readonly re2: string; compiled: RE2JS | null; turn: number };

/**
 * The compiled patterns of all tenants that are kept, as a number of instructions, of some hundred bytes each: the last
 * used ones, at most twice as many.
 */
const MOST_KEPT = 500_000;
/** What the automaton remembers of one pattern, in bytes: with more it is no faster on what people write. */
const REMEMBERED = 128 * 1024;

let turn = 0;
let kept = 0;
let young: Program[] = [];
let old: Program[] = [];

function compiled(pattern: string, program: Program): RE2JS {
  program.compiled ??= compile(pattern, program.re2);
  if (program.turn !== turn) keep(program);
  return program.compiled;
}

function keep(program: Program): void {
  if (kept + program.size > MOST_KEPT) {
    for (const one of old) if (one.turn < turn) one.compiled = null;
    old = young;
    young = [];
    kept = 0;
    turn += 1;
  }
  program.turn = turn;
  kept += program.size;
  young.push(program);
}

function compile(pattern: string, re2: string): RE2JS {
  try {
    const made = RE2JS.compile(re2);
    const { dfa } = made.re2();
    dfa.stateBudget = REMEMBERED;
    dfa.memBudget = REMEMBERED;
    return made;
  } catch (error) {
    if (error instanceof RE2JSException) throw new PatternRefused(pattern, error.message);
    throw error;
  }
}
