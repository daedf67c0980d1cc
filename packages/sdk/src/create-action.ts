/** The first step in the life of an action: the call becomes a record, with an id that no model chooses. */
import { createHash, randomUUID } from 'node:crypto';
import { type ActionRequested, readActionsRecord, type ToolCall } from '@mandate/schemas';
import { MandateBlockedError } from './errors.ts';
import type { ActionOfError, RunOptions } from './types.ts';

export type Call = { agentId: string; tool: string; args: unknown; options: RunOptions };

/** A record of a tool call, as the strict reader of the log returned it. */
export type Created = ActionRequested & { action: ToolCall };

/**
 * Returns the record of a call. Its arguments are a copy, as JSON, of what the caller gave. The tool must be called
 * with this copy, because the checks read it.
 *
 * @throws MandateBlockedError INVALID_ACTION
 */
export function createAction({ agentId, tool, args, options }: Call): Created {
  const { idempotencyKey, estimatedCostMicros, principal, context, parentActionId } = options;
  const id =
    options.actionId ?? (idempotencyKey === undefined ? `act_${randomUUID()}` : idOfKey(idempotencyKey));
  const named: ActionOfError = { id, agentId, type: 'tool_call', tool };
  const action = {
    ...named,
    args: args ?? {},
    idempotencyKey,
    estimatedCostMicros,
    principal,
    context,
    parentActionId,
  };
  const read = readActionsRecord(bytesOf({ event: 'action.requested', action }, named));
  if (!read.ok) {
    const { reason, remedy } = read.fault;
    throw invalid(named, {
      reason: `The call cannot be decided: ${reason}.`,
      remedy: `To run it, ${remedy}.`,
    });
  }
  return read.value as Created;
}

/**
 * Every process makes the same id for a key. So a retry is an attempt of the first call, also after a restart, and
 * the ledger knows whether the first call may be repeated.
 */
function idOfKey(idempotencyKey: string): string {
  return `key_${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 40)}`;
}

function bytesOf(record: object, named: ActionOfError): Uint8Array {
  try {
    return new TextEncoder().encode(JSON.stringify(record));
  } catch (cause) {
    const reason = `The arguments of "${named.tool}" cannot be written as JSON.`;
    throw invalid(named, { reason, remedy: 'Call the tool with plain JSON values.', cause });
  }
}

function invalid(
  action: ActionOfError,
  words: { reason: string; remedy: string; cause?: unknown },
): MandateBlockedError {
  return new MandateBlockedError('INVALID_ACTION', { ...words, action, decision: null });
}
