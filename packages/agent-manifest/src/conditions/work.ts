/**
 * Counts the work of an expression, so that no expression blocks the process. A count gives the same answer in every
 * process; a time would not.
 */
import { consume, type StepBudget } from '@mandate/policy/parts';

/**
 * The most work of one switch, or of all templates of one step. A node of an expression costs 1 each time it is
 * evaluated; work on texts and lists costs what it takes. A unit takes less than 0.1 µs on the machine of
 * docs/dependencies.md, so an evaluation ends within 50 ms.
 */
export const MOST_WORK = 300_000;

/** What a step on bytes costs beside their number. A list of bytes takes long to make. */
const COST_OF_BYTES = 10;
/** Characters of a text that are read for one unit. */
const CHARACTERS_PER_UNIT = 16;

/** Ends an evaluation that `&&` or `||` must not absorb. */
export class EvaluationEnded extends Error {}

/** @throws EvaluationEnded if the work exceeds the budget */
export function spend(budget: StepBudget, units: number): void {
  if (!consume(budget, units)) {
    throw new EvaluationEnded('it takes too much work: use shorter lists and texts, or fewer macros');
  }
}

/** What it costs to read an expression, whether it is kept or not, so that the order of runs changes nothing. */
export function costOfReading(expression: string): number {
  return 300 + 20 * expression.length;
}

/** What it costs to compile the patterns of an expression. */
export function costOfPatterns(size: number): number {
  return 25 * size;
}

/** What it costs to read or write a time. */
export const COST_OF_TIME = 12;

/** Counts work on a text. @throws EvaluationEnded if the work exceeds the budget */
export function spendOnText(budget: StepBudget, length: number): void {
  spend(budget, Math.ceil(length / CHARACTERS_PER_UNIT));
}

/** Counts work on bytes. @throws EvaluationEnded if the work exceeds the budget */
export function spendOnBytes(budget: StepBudget, length: number): void {
  spend(budget, COST_OF_BYTES + Math.ceil(length / CHARACTERS_PER_UNIT));
}
