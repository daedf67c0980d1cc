/** Identifies a call of an agent by the id from its framework, so that a second request for the call is recognized. */
import { CALL_CAPS } from '@mandate/schemas/core';
import { statedFields } from './call-options.ts';
import { isObject } from './create-action.ts';
import { sha256Hex } from './sha256-hex.ts';
import type { Call } from './types.ts';

export type CallKey = {
  /** Calls with the same call id in one run of one agent have the same id. */
  id: string;
  /** Two requests for the same call have the same key. Other arguments make another call. */
  key: string;
  /** A digest of everything else that the request states. It never changes for one call. */
  content: string;
  /** A digest of the tool or model and its arguments. It stays in this process, because it could reveal a secret. */
  called: string;
  /** The action id of the call. Every process makes the same id, so the ledger recognizes the call after a restart. */
  actionId: string;
};

/**
 * Returns the key of a call. Null if the call states no call id, or cannot be written as JSON.
 *
 * @param instanceRunId the run of a call that states no run
 */
export function callKeyOf(
  agentId: string,
  { options = {}, ...call }: Call,
  instanceRunId: string,
): CallKey | null {
  const { callId, runId: run = instanceRunId, idempotencyKey, actionId } = options;
  if (!callId) return null;
  const called = digestOf(call);
  const content = digestOf(statedFields(options));
  if (called === null || content === null) return null;
  // If the caller states an action id or an idempotency key, the id or key names the action, and not the call id.
  const id = JSON.stringify([agentId, run, callId, actionId, idempotencyKey]);
  return { id, key: id + called, content, called, actionId: actionIdOf(run, callId) };
}

/** Visible ASCII characters without the colon. */
const PLAIN = /^[!-9;-~]+$/;

/** Returns `run:call` if this text is short, plain and unambiguous. Otherwise returns a hash of both ids. */
function actionIdOf(runId: string, callId: string): string {
  const id = `${runId}:${callId}`;
  const isPlain = PLAIN.test(runId) && PLAIN.test(callId) && id.length + 4 <= CALL_CAPS.idUnits;
  return isPlain ? id : `call_${sha256Hex(JSON.stringify([runId, callId])).slice(0, 40)}`;
}

/** Returns a digest that does not depend on the order of the fields. Null if the value cannot be written as JSON. */
function digestOf(value: unknown): string | null {
  try {
    return sha256Hex(JSON.stringify(value, (_name, member: unknown) => inOrder(member)));
  } catch {
    return null;
  }
}

function inOrder(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
