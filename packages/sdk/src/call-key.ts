/** Identifies a call of an agent by the id that its framework gave it, so that a second ask is recognized. */

import { CAPS, nameFault } from '@mandate/schemas/core';
import { sha256Hex } from './sha256-hex.ts';
import type { Call, ToolCallOptions } from './types.ts';

export type CallKey = {
  /** Equal for two asks of the same call with the same content. */
  key: string;
  /** The action id of the call. Every process makes the same id, so the ledger recognizes the call after a restart. */
  actionId: string;
  /** The action id if another call with the same call id, but other content, has the first one. */
  otherActionId: string;
};

/**
 * Returns the key of a call. Null if the call states no call id, or cannot be written as JSON.
 *
 * @param runId the run of a call that states none
 */
export function callKeyOf(agentId: string, { options = {}, ...call }: Call, runId: string): CallKey | null {
  const {
    callId,
    runId: stated,
    signal,
    validate,
    onDefer,
    deferTimeoutMs,
    ...others
  } = options as ToolCallOptions;
  if (callId === undefined || callId === '') return null;
  const scope = stated ?? runId;
  const digest = digestOf([agentId, call, others]);
  if (digest === null) return null;
  const actionId = actionIdOf(scope, callId);
  return {
    key: JSON.stringify([agentId, scope, callId, digest]),
    actionId,
    otherActionId: hashed([actionId, digest]),
  };
}

/** The run and the call id as they are, if they are together a legal and unambiguous id. Otherwise a hash of them. */
function actionIdOf(runId: string, callId: string): string {
  const id = `${runId}:${callId}`;
  const isPlain = !runId.includes(':') && !callId.includes(':') && id.length <= CAPS.idUnits;
  return isPlain && nameFault(id) === null ? id : hashed([runId, callId]);
}

function hashed(parts: readonly string[]): string {
  return `call_${sha256Hex(JSON.stringify(parts)).slice(0, 40)}`;
}

/** Fields in another order give the same digest. Functions do not count. */
function digestOf(value: unknown): string | null {
  try {
    return sha256Hex(JSON.stringify(value, (_name, member: unknown) => inOrder(member)));
  } catch {
    return null;
  }
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
