/** The data of a run: the maximum size of its values, the values that its state accepts, and its outputs at the end. */
import { type Json, MOST_RUN_JSON_BYTES } from '@mandate/schemas';
import { faultOf, type SideSchema } from '../side-schema.ts';
import { jsonBytes } from './json-bytes.ts';
import type { StepFailure } from './run-plan.ts';
import type { RunState } from './run-state.ts';

type Members = Iterable<readonly [name: string, value: Json]>;
export type JsonObject = { readonly [name: string]: Json };

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function withinSize(value: Json, code: string): StepFailure | null {
  const bytes = jsonBytes(value);
  if (bytes <= MOST_RUN_JSON_BYTES) return null;
  return { failed: code, reason: `It has ${bytes} bytes of JSON, and ${MOST_RUN_JSON_BYTES} are allowed.` };
}

/** @param members the members that the output sets in the state of the run */
export function checkOutput(output: Json, members: Members, states: SideSchema): StepFailure | null {
  const tooLarge = withinSize(output, 'OUTPUT_TOO_LARGE');
  if (tooLarge !== null) return tooLarge;
  for (const [name, value] of members) {
    const fault = Object.hasOwn(states.members, name) ? faultOf(states.members[name], value) : null;
    if (fault !== null)
      return { failed: 'STATE_INVALID', reason: `The output has a wrong "${name}" of the state: ${fault}.` };
  }
  return null;
}

/**
 * Takes each declared output from the output of the last step, otherwise from the state.
 *
 * @param declared null: nothing is declared, so the last output is the output of the run
 * @param stated returns a member of the state
 */
export function outputsOf(
  { previous: last }: Pick<RunState, 'previous'>,
  declared: SideSchema | null,
  stated: (name: string) => Json | undefined,
): { outputs: Json } | StepFailure {
  if (declared === null) return { outputs: last };
  const names = Object.keys(declared.members);
  const outputs: Record<string, Json> = {};
  for (const name of names) {
    const own = isObject(last) && Object.hasOwn(last, name) ? last[name] : undefined;
    const value = own ?? stated(name) ?? (names.length === 1 && !isObject(last) ? last : undefined);
    if (value !== undefined) outputs[name] = value;
  }
  const fault = declared.faultOf(outputs);
  return fault === null
    ? { outputs }
    : { failed: 'OUTPUT_INVALID', reason: `The outputs of the run are wrong: ${fault}.` };
}
