/** The first step in the life of an action: the call becomes a record, with an id that no model chooses. */
import type { ActionRequested } from '@mandate/schemas';
import { CALL_CAPS } from '@mandate/schemas/core';
import { statedFields } from './call-options.ts';
import type { DecisionPoint, ReadAction } from './decision-point.ts';
import { digestArguments, digestFields, mayBeTooLarge } from './digest-arguments.ts';
import { MandateBlockedError } from './errors.ts';
import type { ActionOfError, Call } from './types.ts';

/** `args`: the whole arguments, with which the tool must be called. In the record, large values may be digests. */
export type CreatedAction = { record: ActionRequested; args: Readonly<Record<string, unknown>> };

/**
 * Returns the record of a call, as the mode read it. Its arguments are a copy, as JSON, of the caller's arguments. The
 * tool must be called with this copy, because the checks read it.
 *
 * @param idOfCall the id of an action that states neither its id nor a key. Null: a new id
 * @throws MandateBlockedError INVALID_ACTION
 */
export function createAction(
  agentId: string,
  call: Call,
  readAction: DecisionPoint['readAction'],
  idOfCall: string | null = null,
): CreatedAction {
  const { idempotencyKey, actionId, ...stated } = statedFields(call.options ?? {});
  const idOfOne = idempotencyKey === undefined ? idOfCall : idOfKey(idempotencyKey);
  const id = actionId ?? idOfOne ?? `act_${crypto.randomUUID()}`;
  const { options: _options, ...kind } = call;
  const named = nameOf(agentId, call, id);
  const action = { id, agentId, ...kind, idempotencyKey, ...stated };
  if (action.type === 'tool_call') action.args ??= {};
  const jsonWith = (changed: { args?: object }) =>
    jsonOf({ event: 'action.requested', action: { ...action, ...changed } }, named);
  const json = jsonWith({});
  const large = action.type === 'tool_call' && mayBeTooLarge(json) ? argumentsIn(json) : null;
  const readWith = (args: object) => readAction(jsonWith({ args }), json);
  let read: ReadAction;
  if (large === null) read = readAction(json, json);
  else {
    const digested = digestArguments(large);
    read = readWith(digested);
    if (!read.ok) read = readWith(digestFields(digested, large));
  }
  if (read.ok) {
    const { action: decided } = read.value;
    return { record: read.value, args: large ?? ((decided.type === 'tool_call' && decided.args) || {}) };
  }
  const { reason, remedy } = read.fault;
  throw invalid(named, {
    reason: `The call cannot be decided: ${reason}.`,
    remedy: `To run it, ${remedy}.`,
  });
}

/** Returns the arguments in the JSON of a record. Null if they are not an object. */
function argumentsIn(json: string): CreatedAction['args'] | null {
  const { args } = (JSON.parse(json) as { action: { args?: unknown } }).action;
  return isObject(args) ? args : null;
}

/** True for an object that is not a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the text of an error about a call without a decision. */
export function nameOf(agentId: string, call: Call, id = call.options?.actionId ?? ''): ActionOfError {
  return { id, agentId, type: call.type, ...subjectOf(call) };
}

function subjectOf(call: Call): { tool?: string; model?: string } {
  if (call.type === 'tool_call') return { tool: call.tool };
  return call.type === 'llm_call' ? { model: call.model } : {};
}

/**
 * Every process makes the same id for a key. So a retry is an attempt of the first call, also after a restart, and the
 * ledger knows whether the first call may be repeated. A key is legal as an id. If a very long key leaves no room for
 * the prefix, the key itself becomes the id.
 */
function idOfKey(idempotencyKey: string): string {
  const id = `key_${idempotencyKey}`;
  return id.length > CALL_CAPS.idUnits ? idempotencyKey : id;
}

/**
 * Returns a copy of arguments as JSON. Absent arguments are an empty object.
 *
 * @throws MandateBlockedError INVALID_ACTION
 */
export function copyOf(args: unknown, named: ActionOfError): unknown {
  return JSON.parse(jsonOf((args ?? {}) as object, named) ?? '{}');
}

function jsonOf(record: object, named: ActionOfError): string {
  try {
    return JSON.stringify(record);
  } catch (cause) {
    const reason = `The arguments of "${named.tool ?? named.model ?? named.type}" cannot be written as JSON.`;
    throw invalid(named, { reason, remedy: 'Use plain JSON values.', cause });
  }
}

function invalid(
  action: ActionOfError,
  words: { reason: string; remedy: string; cause?: unknown },
): MandateBlockedError {
  return new MandateBlockedError('INVALID_ACTION', { ...words, action, decision: null });
}
