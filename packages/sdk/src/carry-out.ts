/**
 * Starts a call with obligations that the SDK or its caller carries out, and reads them. An obligation in a form that
 * the SDK does not know cannot be carried out, so the call is then blocked, and gives its reservation back.
 */
import type { Action, Decision, Json } from '@mandate/schemas';
import { actionOf } from './authorize.ts';
import { isObject } from './create-action.ts';
import { MandateBlockedError } from './errors.ts';
import type { Agent, Call, RunningAction } from './types.ts';

/** Reads the obligations of an ALLOW. `action`: the decided action, with the principal of the call. */
export type ReadDuties<Duties> = (obligations: Obligations, action: Action, decision: Decision) => Duties;

export type Obligations = Readonly<Record<string, Json | undefined>>;

/** Thrown by a function that cannot read an obligation. */
export class UnknownForm extends Error {
  readonly obligation: string;

  constructor(obligation: string) {
    super(obligation);
    this.obligation = obligation;
  }
}

/**
 * Resolves if the call is allowed and its obligations can be carried out.
 *
 * @param names the obligations that `read` reads
 * @throws MandateBlockedError, MandateDeferredError, or the reason of the caller's signal
 */
export async function startObliged<Duties>(
  agent: Agent,
  call: Call,
  names: readonly string[],
  read: ReadDuties<Duties>,
): Promise<RunningAction & { duties: Duties }> {
  const running = await agent.start({ ...call, options: { ...call.options, carriesOut: names } } as Call);
  const { decision, action, settle } = running;
  try {
    return { ...running, duties: read(decision.obligations ?? {}, action, decision) };
  } catch (error) {
    await settle({ status: 'cancelled' });
    throw error instanceof UnknownForm ? unknownForm(decision, error.obligation) : error;
  }
}

/** Like `startObliged`, for a call that has ended when its decision is known. */
export async function obliged<Duties>(
  ...given: Parameters<typeof startObliged<Duties>>
): Promise<{ decision: Decision; duties: Duties }> {
  const { decision, duties, settle } = await startObliged(...given);
  await settle({ status: 'success' });
  return { decision, duties };
}

function unknownForm(decision: Decision, obligation: string): MandateBlockedError {
  return new MandateBlockedError('UNKNOWN_OBLIGATION', {
    reason: `The decision demands "${obligation}" in a way that cannot be carried out.`,
    remedy: 'Update the SDK. If the call states no principal, state it.',
    action: actionOf(decision),
    decision,
  });
}

/** Returns the members of a list of objects. Each object may have these fields, and no others. */
export function listIn(value: Json | undefined, name: string, fields: readonly string[]): Obligations[] {
  if (!Array.isArray(value)) throw new UnknownForm(name);
  return value.map((one) => {
    if (!isObject(one) || Object.keys(one).some((field) => !fields.includes(field)))
      throw new UnknownForm(name);
    return one as Obligations;
  });
}

export function textIn(value: Json | undefined, name: string): string {
  if (typeof value !== 'string') throw new UnknownForm(name);
  return value;
}

export function textOrNull(value: Json | undefined, name: string): string | null {
  return value === null ? null : textIn(value, name);
}

export function textsIn(value: Json | undefined, name: string): string[] {
  if (!Array.isArray(value)) throw new UnknownForm(name);
  return value.map((one) => textIn(one, name));
}
