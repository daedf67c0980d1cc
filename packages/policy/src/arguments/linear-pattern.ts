import { consume, type StepBudget } from '../step-budget.ts';
import { compiled, newProgram } from './compiled-programs.ts';
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
export const LONGEST_PATTERN = 1_000;
/**
 * The cost of compiling, as a number of characters. Every test pays this cost, even if the pattern is compiled
 * already. So the order of requests does not change their results.
 */
export const COMPILING = 16;

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
  const program = newProgram(pattern, re2, size);
  return {
    size,
    test(text, stepBudget) {
      if (!consume(stepBudget, size * (text.length + COMPILING))) return false;
      try {
        return compiled(program).test(text);
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
