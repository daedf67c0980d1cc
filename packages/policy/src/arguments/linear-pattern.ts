import { consume, type StepBudget } from '../step-budget.ts';
import { automatonOf, newProgram, refuseLongPattern } from './compiled-programs.ts';
import { endlessRoom } from './pattern-size.ts';

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
  refuseLongPattern(pattern);
  const program = newProgram(pattern, pattern, room);
  const { size } = program;
  return {
    size,
    test(text, stepBudget) {
      if (!consume(stepBudget, size * (text.length + COMPILING))) return false;
      return automatonOf(program, stepBudget)?.test(text) ?? false;
    },
    // ajv caches patterns by the result of toString, so different patterns need different results.
    toString: () => `/${pattern}/`,
  };
}
