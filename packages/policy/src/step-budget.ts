/**
 * The step budget of documents, names and arguments, which others write: checking them blocks the process. Steps are
 * counted and never timed, so every process stops at the same point.
 */
import { CAPS } from '@mandate/schemas/core';

export type StepBudget = { left: number };

/** Returns the step budget of one action. */
export function stepBudgetOfAction(): StepBudget {
  return { left: CAPS.stepsPerAction };
}

/** Subtracts the steps. True if the budget sufficed. */
export function consume(stepBudget: StepBudget, steps: number): boolean {
  stepBudget.left -= steps;
  return stepBudget.left >= 0;
}
