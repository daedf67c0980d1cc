import type { Action } from '@mandate/schemas';
import { changeFreeFields } from '@mandate/schemas/core';
import { compileRedaction, type RedactionRules } from './redact.ts';
import { SECRET_NAMES } from './secret-names.ts';

/** What every service that shows actions is set to; the usual names of secrets where it names no fields to redact. */
type ActionRedactionRules = Partial<Pick<RedactionRules, 'hash' | 'hashKey'>> & {
  readonly redact?: readonly string[] | undefined;
};

/**
 * Redacts the fields that an agent fills in freely, and not those that Mandate itself reads (ids, tools, amounts). Returns the
 * action itself if there is nothing to redact. Throws as `compileRedaction` does.
 */
export function compileActionRedaction({
  redact = SECRET_NAMES,
  hash = [],
  hashKey,
}: ActionRedactionRules = {}): (action: Action) => Action {
  const redaction = compileRedaction({ redact, hash, hashKey });
  return (action) => changeFreeFields(action, redaction);
}
