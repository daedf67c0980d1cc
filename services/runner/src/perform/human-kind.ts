/** A node of a graph that waits for a person. The question is the approval of its action. */
import type { StepKind } from './perform-step.ts';
import { failed, inputsAsArgs } from './step-parts.ts';

export const humanKind: StepKind = {
  args: inputsAsArgs,
  async do(_work, { isConfirmed }) {
    if (isConfirmed) return { output: { approved: true } };
    return failed('NOBODY_ASKED', 'The policies in force let the step pass without asking a person.');
  },
};
