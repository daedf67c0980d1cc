import type { Action } from '@mandate/schemas';
import { changeFreeFields } from '@mandate/schemas/core';
import { compileRedaction, type RedactionRules } from './redact.ts';
import { SECRET_NAMES } from './secret-names.ts';

/**
 * The redaction settings of every service that shows actions. If no names of fields are given, the usual names of
 * secrets are redacted.
 */
type ActionRedactionRules = Partial<Pick<RedactionRules, 'hash' | 'hashKey'>> & {
  readonly redact?: readonly string[] | undefined;
};

/**
 * Compiles the redaction of actions. Redaction applies to the fields that an agent fills in freely, and not to fields
 * that Mandate itself reads (ids, tools, amounts). If nothing is redacted, the action itself is returned. Throws like
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
