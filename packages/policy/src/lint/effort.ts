/**
 * How much may still be looked at, in steps of some hundred nanoseconds: what is linted is another's writing, and nothing else
 * is done meanwhile. What there is no more effort for is not told.
 */
export type Effort = { left: number };

/** Of all that is asked of a tenant's documents, a second or two. */
export const EFFORT_OF_ALL = 20_000_000;
/** Of what one change is answered with. */
export const EFFORT_OF_ONE = 2_000_000;

/** Whether there is so much left, which is then taken. */
export function takes(effort: Effort, steps: number): boolean {
  effort.left -= steps;
  return effort.left >= 0;
}
