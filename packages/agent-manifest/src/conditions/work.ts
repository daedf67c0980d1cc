/**
 * Counts the work of an expression, so that no expression blocks the process. A count is the same in every process; a
 * measured time would not be.
 */
import { consume, type StepBudget } from '@mandate/policy/parts';

/**
 * The maximum work of one switch, or of all templates of one step. A node of an expression costs 1 each time it is
 * evaluated; work on texts and lists costs in proportion to their size. A unit takes less than 0.1 µs on the machine of
 * docs/dependencies.md, so an evaluation ends within 50 ms.
 */
export const MOST_WORK = 300_000;

/** The fixed cost of a step on bytes, besides the cost of each byte. Making a list of bytes is slow. */
const COST_OF_BYTES = 10;
/** The number of characters that are read for one unit of work. */
const CHARACTERS_PER_UNIT = 16;

/** Ends an evaluation. `&&` and `||` must not ignore this end. */
export class EvaluationEnded extends Error {}

/** @throws EvaluationEnded if the work exceeds the budget */
export function spend(budget: StepBudget, units: number): void {
  if (!consume(budget, units)) {
    throw new EvaluationEnded('it takes too much work: use shorter lists and texts, or fewer macros');
  }
}

/**
 * The cost of reading an expression. It is the same whether the expression is cached or not, so that the order of runs
 * changes nothing.
 */
export function costOfReading(expression: string): number {
  return 300 + 20 * expression.length;
}

/** The cost of compiling the patterns of an expression. */
export function costOfPatterns(size: number): number {
  return 25 * size;
}

/** The cost of reading or writing a time. */
export const COST_OF_TIME = 12;

/** Counts work on a text. @throws EvaluationEnded if the work exceeds the budget */
export function spendOnText(budget: StepBudget, length: number): void {
  spend(budget, Math.ceil(length / CHARACTERS_PER_UNIT));
}

/** Counts work on bytes. @throws EvaluationEnded if the work exceeds the budget */
export function spendOnBytes(budget: StepBudget, length: number): void {
  spend(budget, COST_OF_BYTES + Math.ceil(length / CHARACTERS_PER_UNIT));
}
