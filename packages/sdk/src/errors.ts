/** The errors that `run` throws, and functions that find them inside the errors of a framework. */
import { MandateError } from '@mandate/runtime/errors';
import type { Decision } from '@mandate/schemas';
import type { ActionOfError, BlockCode, OnError } from './types.ts';

/** Marks the errors of every copy of the SDK in the process. `instanceof` works only within one copy. */
const MARK = Symbol.for('@mandate/sdk.error');

type Facts = {
  reason: string;
  remedy: string;
  action: ActionOfError;
  decision: Decision | null;
  cause?: unknown;
};

/**
 * The base of both errors. `message` contains code, reason and remedy, because frameworks give a model only the
 * message. The action and the decision do not appear when the error is printed or converted to JSON.
 */
abstract class RefusedError extends MandateError {
  readonly reason: string;
  readonly agentId: string;
  /** When a retry can succeed, in milliseconds from the decision. Null: no retry helps, or none is needed. */
  readonly retryAfterMs: number | null;
  readonly #action: ActionOfError;
  readonly #decision: Decision | null;

  constructor(name: string, code: string, { reason, remedy, action, decision, cause }: Facts) {
    // The call was aborted after an ALLOW. A retry without an idempotency key could have its effect twice. Without a
    // decision nothing ran, so the cause says whether a retry can help.
    const retryable =
      decision === null
        ? cause instanceof MandateError && cause.retryable
        : decision.verdict !== 'ALLOW' && !decision.final;
    super(code, `${code}: ${asSentence(reason)} ${remedy}`, { remedy, retryable, cause });
    this.name = name;
    this.reason = reason;
    this.agentId = action.agentId;
    this.retryAfterMs = decision?.retryAfterMs ?? null;
    this.#action = action;
    this.#decision = decision;
  }

  get [MARK](): true {
    return true;
  }

  /** The refused action, with its arguments redacted. */
  get action(): ActionOfError {
    return this.#action;
  }

  /** The decision about the action. Null if there is none. */
  get decision(): Decision | null {
    return this.#decision;
  }
}

/** A reason may end with the words of a person, such as the reason of a kill. These words may lack a full stop. */
export function asSentence(reason: string): string {
  return /[.!?]$/.test(reason) ? reason : `${reason}.`;
}

/** The call did not run, or was aborted. `retryable`: true if a retry can help. */
export class MandateBlockedError extends RefusedError {
  declare readonly code: BlockCode;

  constructor(code: BlockCode, facts: Facts) {
    super('MandateBlockedError', code, facts);
  }
}

/** The call waits for a person. Send it again with `actionId: error.action.id` after the person has approved it. */
export class MandateDeferredError extends RefusedError {
  declare readonly code: 'APPROVAL_REQUIRED';
  /** The id of the question to the person. */
  readonly approvalId: string;

  constructor(facts: Facts & { decision: Decision }) {
    super('MandateDeferredError', 'APPROVAL_REQUIRED', facts);
    this.approvalId = facts.decision.approvalId ?? '';
  }
}

/** Returns the error for a wrong use of the SDK. */
export function misused(message: string, remedy: string): MandateError {
  return new MandateError('SDK_MISUSED', message, { remedy });
}

export function instanceClosed(): MandateError {
  return misused('This instance is closed.', 'Create another instance.');
}

/**
 * Loads the client of a server. Its package is optional, so npm does not install it together with the SDK.
 *
 * @param load imports a module that needs the package
 * @throws MandateError SDK_MISUSED if the package is not installed
 */
export async function loadClient<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw misused(`The package \`${name}\` is not installed.`, `Run \`npm install ${name}\`.`);
  }
}

/** @throws MandateError SDK_MISUSED if an option is set that the mode does not have */
export function refuseOption<Name extends string>(
  mode: string,
  options: { readonly [_ in Name]?: unknown },
  name: Name,
  remedy: string,
): void {
  if (options[name] !== undefined) throw misused(`The mode "${mode}" has no \`${name}\`.`, remedy);
}

/** The maximum number of errors that are read on the way from an error of a framework to the error of the SDK. */
const MOST_NESTED = 32;

/**
 * Returns the error of the SDK that this error is, or that it contains in `cause` or `error`. Frameworks wrap errors
 * in these fields. Returns null if there is none.
 */
export function findMandateError(thrown: unknown): MandateBlockedError | MandateDeferredError | null {
  const open = [thrown];
  for (let read = 0; read < MOST_NESTED && open.length > 0; read += 1) {
    const one = open.shift();
    if (typeof one !== 'object' || one === null) continue;
    if (MARK in one) return one as MandateBlockedError | MandateDeferredError;
    const { cause, error } = one as { cause?: unknown; error?: unknown };
    open.push(cause, error);
  }
  return null;
}

/** True if the error is an error of the SDK, or contains one in `cause` or `error`. */
export function isMandateError(thrown: unknown): boolean {
  return findMandateError(thrown) !== null;
}

/** Prints an error that stops no call. The stack of a `MandateError` would hide its remedy. */
export function logError(error: unknown): void {
  const isPlain = error instanceof MandateError && !error.cause;
  console.error('mandate:', isPlain ? `${error.message} ${error.remedy}` : error);
}

/** Calls a function of the program. If it throws, or rejects, the error goes to `onError`. Never rejects. */
export function callHandler<T>(handler: (given: T) => void, given: T, onError: OnError): Promise<void> {
  return new Promise<void>((resolve) => resolve(handler(given))).catch(onError);
}

/**
 * Returns a handler of errors that never throws or rejects, because an error of the handler must not disturb a call.
 */
export function safely(onError: OnError = logError): OnError {
  return (error) => void callHandler(onError, error, logError);
}
