/**
 * How much may still be looked at, in steps: what is judged or linted is another's writing, and nothing else is done
 * meanwhile. Steps are counted, never timed: every process that judges the same comes equally far.
 */
import { CAPS } from '@mandate/schemas/core';

export type Effort = { left: number };

/** All that one action may take. */
export function effortOfAction(): Effort {
  return { left: CAPS.stepsPerAction };
}

/** Whether there is so much left, which is then taken. */
export function takes(effort: Effort, steps: number): boolean {
  effort.left -= steps;
  return effort.left >= 0;
}
