/** What the fold of a run needs to know of its manifest, or of its graph. */
import type { Json } from '@mandate/schemas';
import type { RunState } from './run-state.ts';

/** A switch is decided by the fold itself. So is the router of a graph, which is a switch too. */
type StepKind = 'agent' | 'logic' | 'switch' | 'council' | 'human' | 'evaluator';

export type StepFailure = { failed: string; reason: string };

/** Where a step leads. `next: null` ends the run. A switch has no output. */
export type Finished = { output?: Json; next: string | null };

/** What a step came to: its output, or the ballots of its voters. */
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
  /** Checks what a step came to, and says where it leads. */
  finish(run: RunState, step: string, product: Product): Finished | StepFailure;
  /** The members that an output sets in the state of the run. */
  absorb(step: string, output: Json): Iterable<readonly [name: string, value: Json]>;
  /** How long a step waits for the answer of a person, in milliseconds. Null: as long as the question is open. */
  answerMsOf(step: string): number | null;
  /** The outputs of a run after its last step. */
  outputsOf(run: RunState): { outputs: Json } | StepFailure;
};
