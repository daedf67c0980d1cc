/**
 * Caches compiled patterns of all tenants together, within a limited memory.
 */
import { RE2JS, RE2JSException } from 're2js';
import { consume, type StepBudget } from '../step-budget.ts';
import { PATTERNS_TOO_LARGE, patternSize } from './pattern-size.ts';
import { PatternRefused, patternToRe2 } from './pattern-to-re2.ts';
import { unknownClass } from './unicode-classes.ts';

/** A pattern that is compiled when it is first run, and again after the cache dropped it. */
export type Program = {
  readonly re2: string;
  readonly size: number;
  /** Flags of RE2JS. */
  readonly flags: number;
  compiled: RE2JS | null;
  turn: number;
};

/** The maximum number of characters of a pattern. No sensible pattern is longer. */
const LONGEST_PATTERN = 1_000;

/** @throws PatternRefused if the pattern is too long */
export function refuseLongPattern(pattern: string): void {
  if (pattern.length <= LONGEST_PATTERN) return;
  throw new PatternRefused(`${pattern.slice(0, 40)}…`, `it is longer than ${LONGEST_PATTERN} characters`);
}

/**
 * @param pattern the pattern of the document, which errors quote
 * @param rewritten the ECMAScript pattern that runs, in linear time
 * @param room the total size that this pattern and later patterns may have; the size of this pattern is subtracted
 * @param flags of RE2JS; none by default
 * @throws PatternRefused
 */
export function newProgram(pattern: string, rewritten: string, room: StepBudget, flags = 0): Program {
  const re2 = patternToRe2(rewritten);
  const size = patternSize(rewritten);
  if (!consume(room, size)) throw new PatternRefused(pattern, `with it the document ${PATTERNS_TOO_LARGE}`);
  const unknown = unknownClass(re2);
  if (unknown !== null) throw new PatternRefused(pattern, unknown);
  return { re2, size, flags, compiled: null, turn: -1 };
}

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

/** Returns null, and uses up the step budget, if the engine does not accept the pattern. */
export function automatonOf(program: Program, stepBudget: StepBudget): RE2JS | null {
  try {
    program.compiled ??= compile(program);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    stepBudget.left = -1;
    return null;
  }
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

function compile({ re2, flags }: Program): RE2JS {
  const made = RE2JS.compile(re2, flags);
  const { dfa } = made.re2();
  dfa.stateBudget = REMEMBERED;
  dfa.memBudget = REMEMBERED;
  return made;
}
