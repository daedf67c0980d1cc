import type { Action, Json } from '@mandate/schemas';
import { compileRedaction, type Redaction, type RedactionRules } from './redact.ts';
import { SECRET_NAMES } from './secret-names.ts';

/** What every service that shows actions is set to; the usual names of secrets where it names no fields to redact. */
type ActionRedactionRules = Partial<Pick<RedactionRules, 'hash' | 'hashKey'>> & {
  readonly redact?: readonly string[] | undefined;
};

/**
 * What an agent fills in freely is redacted; what Mandate itself reads (ids, tools, amounts) is not. Throws as
 * `compileRedaction` does.
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
  const redacted: Action = { ...action };
  if (redacted.type === 'tool_call' && redacted.args !== undefined) {
    redacted.args = redactRecord(redacted.args, redact);
  }
  if (redacted.context !== undefined) redacted.context = redactRecord(redacted.context, redact);
  return redacted;
}

function redactRecord(record: Record<string, Json>, redact: Redaction): Record<string, Json> {
  const redacted = redact(record);
  if (redacted === null || typeof redacted !== 'object' || Array.isArray(redacted)) {
    throw new TypeError('redaction made something else of an object');
  }
  return redacted;
}
