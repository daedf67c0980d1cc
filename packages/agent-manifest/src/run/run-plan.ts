/** What the fold of a run needs to know about the manifest or the graph. */
import type { Json } from '@mandate/schemas';
import type { RunState } from './run-state.ts';

/** The fold itself decides a switch. The router of a graph is a switch too. */
type StepKind = 'agent' | 'logic' | 'switch' | 'council' | 'human' | 'evaluator';

export type StepFailure = { failed: string; reason: string };

/** The next step. `next: null` ends the run. A switch has no output. */
export type Finished = { output?: Json; next: string | null };

/** The result of a step: its output, or the ballots of its voters. */
export type Product = { output: Json } | { ballots: Readonly<Record<string, Json>> };

export type RunPlan = {
  start: string;
  attempts: number;
  maxSteps: number | null;
  timeoutMs: number | null;
  kindOf(step: string): StepKind;
  /** The inputs of a step. Undefined for a switch, which reads the state itself. */
  inputsOf(run: RunState, step: string): { inputs: Json | undefined } | StepFailure;
  /** Where a switch leads. */
  choose(run: RunState, step: string): Finished | StepFailure;
  /** Checks the result of a step, and returns the next step. */
  finish(run: RunState, step: string, product: Product): Finished | StepFailure;
  /** The members that an output sets in the state of the run. */
  absorb(step: string, output: Json): Iterable<readonly [name: string, value: Json]>;
  /**
   * How long a step waits for the answer of a person, in milliseconds. Null: as long as Mandate keeps the question
   * open.
   */
  answerMsOf(step: string): number | null;
  /** The outputs of a run after its last step. */
  outputsOf(run: RunState): { outputs: Json } | StepFailure;
};
