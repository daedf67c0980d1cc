import { RE2JS, RE2JSException } from 're2js';
import { consume, type StepBudget } from '../step-budget.ts';
import { endlessRoom, PATTERNS_TOO_LARGE, patternSize } from './pattern-size.ts';
import { PatternRefused, patternToRe2 } from './pattern-to-re2.ts';
import { unknownClass } from './unicode-classes.ts';

export interface LinearPattern {
  /** The maximum number of steps that the pattern takes for each character of a text. */
  readonly size: number;
  /**
   * True if the text matches. If the step budget is used up, `stepBudget.left` is below 0 and the result is false,
   * but not valid.
   */
  test(text: string, stepBudget: StepBudget): boolean;
  toString(): string;
}

/** The maximum number of characters of a pattern. No sensible pattern is longer. */
const LONGEST_PATTERN = 1_000;
/**
 * The cost of compiling, as a number of characters. Every test pays this cost, even if the pattern is compiled
 * already. So the order of requests does not change their results.
 */
const COMPILING = 16;

/**
 * Compiles an ECMAScript pattern to an automaton that takes linear time in the length of the text. No argument of an
 * agent can then block the process (V8 needs half a minute for `(a+)+$` on 28 characters). Throws PatternRefused.
 *
 * Each test costs the pattern's size times the length of the text, whatever the text is. The automaton never takes
 * more steps, and often takes fewer. The pattern is compiled when it is first tested.
 *
 * @param room the total size that this pattern and later patterns may have; the size of this pattern is subtracted
 */
export function linearPattern(pattern: string, room: StepBudget = endlessRoom()): LinearPattern {
  if (pattern.length > LONGEST_PATTERN) {
    throw new PatternRefused(`${pattern.slice(0, 40)}…`, `it is longer than ${LONGEST_PATTERN} characters`);
  }
  const re2 = patternToRe2(pattern);
  const size = patternSize(pattern);
  if (!consume(room, size)) throw new PatternRefused(pattern, `with it the document ${PATTERNS_TOO_LARGE}`);
  const unknown = unknownClass(re2);
  if (unknown !== null) throw new PatternRefused(pattern, unknown);
  const program = { size, re2, compiled: null, turn: -1 };
  return {
    size,
    test(text, stepBudget) {
      if (!consume(stepBudget, size * (text.length + COMPILING))) return false;
      try {
        return compiled(pattern, program).test(text);
      } catch (error) {
        if (!(error instanceof PatternRefused)) throw error;
        stepBudget.left = -1;
        return false;
      }
    },
    // ajv caches patterns by the result of toString, so different patterns need different results.
    toString: () => `/${pattern}/`,
  };
}

type Program = { readonly size: number; readonly re2: string; compiled: RE2JS | null; turn: number };

/**
 * How many instructions of compiled patterns are cached, for all tenants together. An instruction takes some hundred
 * bytes. The least recently used patterns are dropped. At most twice this number is in memory.
 */
const MOST_KEPT = 500_000;
/** The memory of the automaton of one pattern, in bytes. More memory does not make typical patterns faster. */
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
