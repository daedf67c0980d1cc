/**
 * Limits the steps for checking documents, names and arguments. Others write these texts, and a long check would
 * block the process. Steps are counted instead of time, so every process stops at the same point.
 */
import { CAPS } from '@mandate/schemas/core';

export type StepBudget = { left: number };

/** Returns the step budget of one action. */
export function stepBudgetOfAction(): StepBudget {
  return { left: CAPS.stepsPerAction };
}

/** Subtracts the steps. True if the step budget was large enough. */
export function consume(stepBudget: StepBudget, steps: number): boolean {
  stepBudget.left -= steps;
  return stepBudget.left >= 0;
}
