/** Runs the patterns of `matches`, in the syntax of RE2 and in linear time. */
import {
  consume,
  PatternRefused,
  patternSize,
  type RecentlyUsed,
  recentlyUsed,
  type StepBudget,
} from '@mandate/policy/parts';
import { RE2JS, RE2JSException } from 're2js';
import { spend } from './work.ts';

/** The maximum number of instructions in the patterns of one expression, counted with their repeats written out. */
export const LARGEST_PATTERNS = 500;
/** The memory of the automaton of one pattern, in bytes. */
const REMEMBERED = 128 * 1024;
/** The number of steps of the automaton for one unit of work. */
const STEPS_PER_UNIT = 32;
/** The fixed cost of each test, besides the steps for its characters. */
const COST_OF_TEST = 8;

const compiled: RecentlyUsed<RE2JS> = recentlyUsed(100);

/** The forms of RE2 that `patternSize` cannot read: quoted text, and classes that contain a bracket. */
const UNREAD = /\\Q|\[\^?\]|\[:/;

/**
 * Returns the fault of the pattern, or null.
 *
 * @param room the size that this pattern may have; its size is subtracted
 */
export function patternFault(pattern: string, room: StepBudget): string | null {
  if (UNREAD.test(pattern)) return 'the pattern may not use \\Q, [: or a class that begins with ]';
  try {
    if (!consume(room, patternSize(pattern))) {
      return `the patterns have more than ${LARGEST_PATTERNS} steps together, their repeats written out`;
    }
    automatonOf(pattern);
    return null;
  } catch (error) {
    if (error instanceof PatternRefused) return error.message;
    if (error instanceof RE2JSException) return `the pattern is not in the syntax of RE2: ${error.message}`;
    throw error;
  }
}

/**
 * @param pattern must have passed `patternFault`
 * @throws EvaluationEnded if the work exceeds the budget
 */
export function matchesPattern(pattern: string, text: string, budget: StepBudget): boolean {
  spend(budget, COST_OF_TEST + Math.ceil((patternSize(pattern) * text.length) / STEPS_PER_UNIT));
  return automatonOf(pattern).test(text);
}

function automatonOf(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = RE2JS.compile(pattern);
  const { dfa } = made.re2();
  dfa.stateBudget = REMEMBERED;
  dfa.memBudget = REMEMBERED;
  compiled.set(pattern, made);
  return made;
}
