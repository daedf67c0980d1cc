/** Validates the arguments of a call by the tool's own validator, which may change them. */

import { inTime } from './bounded-wait.ts';
import { isObject } from './create-action.ts';
import { MandateBlockedError } from './errors.ts';
import type { ActionOfError, StandardSchema, Validate } from './types.ts';

/** How long a validator may take. A validator that waits for something else would block the agent. */
const VALIDATION_MS = 10_000;

/** The maximum number of faults that a reason names, and the maximum number of characters of each. */
const MOST_FAULTS = 5;
const MOST_UNITS = 200;

/**
 * Returns the validator's arguments. These are decided and recorded, and the tool runs with them.
 *
 * @param args a copy, which the validator may change
 * @throws MandateBlockedError ARGUMENT_VALIDATION_FAILED
 */
export async function validateArguments(
  args: unknown,
  validate: Validate,
  action: ActionOfError,
): Promise<unknown> {
  try {
    const validated = await inTime(VALIDATION_MS, validatedBy(validate, args), tookTooLong);
    if (isObject(validated)) return validated;
    throw new Error('the validator returned no object');
  } catch (cause) {
    throw new MandateBlockedError('ARGUMENT_VALIDATION_FAILED', {
      reason: `The arguments of "${action.tool}" were refused: ${shorten(messageOf(cause), MOST_FAULTS * MOST_UNITS)}.`,
      remedy: 'Call again with arguments that the tool accepts.',
      action,
      decision: null,
      cause,
    });
  }
}

function tookTooLong(): Error {
  return new Error(`the validator took longer than ${VALIDATION_MS} ms`);
}

async function validatedBy(validate: Validate, args: unknown): Promise<unknown> {
  if (!isSchema(validate)) return validate(args);
  const result = await validate['~standard'].validate(args);
  if (result.issues === undefined) return result.value;
  const named = result.issues.slice(0, MOST_FAULTS).map(({ message, path = [] }) => {
    const place = path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
    return shorten(place === '' ? message : `${place}: ${message}`, MOST_UNITS);
  });
  const more = result.issues.length > MOST_FAULTS ? ' and more' : '';
  throw new Error(`${named.join('; ')}${more}`);
}

/** Schemas of some libraries are functions, so the property `~standard` decides. */
function isSchema(validate: Validate): validate is StandardSchema {
  return '~standard' in validate;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
