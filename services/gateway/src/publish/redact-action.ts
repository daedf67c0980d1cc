import { isMandateError } from '@mandate/runtime';
import type { Action } from '@mandate/schemas';
import { HttpProblem } from '@mandate/server';
import type { Gateway } from '../gateway.ts';

/**
 * Returns the action to publish and the fingerprint of the removed values. The action is `original` itself if nothing
 * was redacted.
 */
export function redactAction(
  { redact, fingerprint }: Gateway,
  original: Action,
  tenant: string,
): { action: Action; fingerprint: string | null } {
  try {
    const action = redact(original, tenant);
    return { action, fingerprint: fingerprint(original, action, tenant) };
  } catch (error) {
    if (!isMandateError(error, 'PERSON_ERASED')) throw error;
    // An error about a forgotten person is told to the caller, who must know that the person in the action was
    // forgotten.
    const remedy = `Nothing was published. ${error.remedy}`;
    throw new HttpProblem(410, 'PERSON_ERASED', error.message, { remedy, cause: error });
  }
}
