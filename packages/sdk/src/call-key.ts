/** Identifies a call of an agent by the id that its framework gave it, so that a second ask is recognized. */
import { CAPS } from '@mandate/schemas/core';
import { statedFields } from './call-options.ts';
import { sha256Hex } from './sha256-hex.ts';
import type { Call } from './types.ts';

export type CallKey = {
  /** Equal for two asks of the same call with the same content. */
  key: string;
  /** The action id of the call. Every process makes the same id, so the ledger recognizes the call after a restart. */
  actionId: string;
  /** The action id if the first id belongs to another call, with the same call id but other content. */
  otherActionId: string;
};

/**
 * Returns the key of a call. Null if the call states no call id, or cannot be written as JSON.
 *
 * @param instanceRunId the run of a call that states none
 */
export function callKeyOf(
  agentId: string,
  { options = {}, ...call }: Call,
  instanceRunId: string,
): CallKey | null {
  const { callId, runId: run = instanceRunId } = options;
  if (callId === undefined || callId === '') return null;
  const digest = digestOf([agentId, call, statedFields(options)]);
  if (digest === null) return null;
  const actionId = actionIdOf(run, callId);
  return {
    key: JSON.stringify([agentId, run, callId, digest]),
    actionId,
    otherActionId: hashed([actionId, digest]),
  };
}

/** Visible ASCII characters without the colon. */
const PLAIN = /^[!-9;-~]+$/;

/** Returns `run:call` if this is short, plain and unambiguous. Otherwise a hash of both. */
function actionIdOf(runId: string, callId: string): string {
  const id = `${runId}:${callId}`;
  const isPlain = PLAIN.test(runId) && PLAIN.test(callId) && id.length <= CAPS.idUnits;
  return isPlain ? id : hashed([runId, callId]);
}

function hashed(parts: readonly string[]): string {
  return `call_${sha256Hex(JSON.stringify(parts)).slice(0, 40)}`;
}

/** Returns the same digest for another order of the fields. Null if the value cannot be written as JSON. */
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
