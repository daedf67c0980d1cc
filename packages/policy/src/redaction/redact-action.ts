import type { Action, Json } from '@mandate/schemas';
import { compileRedaction, type Redaction, type RedactionRules } from './redact.ts';
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
  return (action) => redactAction(action, redaction);
}

function redactAction(action: Action, redact: Redaction): Action {
  const given = action.type === 'tool_call' ? action.args : undefined;
  const args = given && redactRecord(given, redact);
  const context = action.context && redactRecord(action.context, redact);
  if (args === given && context === action.context) return action;
  return { ...action, ...(args && { args }), ...(context && { context }) };
}

function redactRecord(record: Record<string, Json>, redact: Redaction): Record<string, Json> {
  const redacted = redact(record);
  if (redacted === null || typeof redacted !== 'object' || Array.isArray(redacted)) {
    throw new TypeError('redaction made something else of an object');
  }
  return redacted;
}
