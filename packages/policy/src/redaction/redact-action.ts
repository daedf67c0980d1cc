import type { Action, Json } from '@mandate/schemas';
import type { Redaction } from './redact.ts';

/** What an agent fills in freely is redacted; what Mandate itself reads (ids, tools, amounts) is not. */
export function redactAction(action: Action, redact: Redaction): Action {
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
