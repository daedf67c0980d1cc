import type { Action } from '@mandate/schemas';
import { changeFreeFields } from '@mandate/schemas/core';
import { compileRedaction, type RedactionRules } from './redact.ts';
import { SECRET_NAMES } from './secret-names.ts';

/**
 * The redaction settings of every service that shows actions. Without names of fields to redact, the usual names of
 * secrets are used.
 */
type ActionRedactionRules = Partial<Pick<RedactionRules, 'hash' | 'hashKey'>> & {
  readonly redact?: readonly string[] | undefined;
};

/**
 * Compiles the redaction of actions. It redacts the fields that an agent fills in freely, and no field that Mandate
 * itself reads (ids, tools, amounts). It returns the action itself if there is nothing to redact. Throws like
 * `compileRedaction`.
 */
export function compileActionRedaction({
  redact = SECRET_NAMES,
  hash = [],
  hashKey,
}: ActionRedactionRules = {}): (action: Action) => Action {
  const redaction = compileRedaction({ redact, hash, hashKey });
  return (action) => changeFreeFields(action, redaction);
}
