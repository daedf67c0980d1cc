/** Finds what is wrong with a decision or settlement of an SDK that has the right shape. */
import { decisionId, settlementId } from '@mandate/policy';
import type { ActionDecided, ActionSettled, Decision, LogPosition, Settlement } from '@mandate/schemas';
import { timeOfId } from '@mandate/schemas';

/** `pointer` names the field. The texts are phrases, as in the faults of other records. */
export type SdkRecordFault = { pointer: string; reason: string; remedy: string };

/** An agent's clock may be wrong, but a record from far in the future would stay the newest for a long time. */
const MOST_AHEAD_MS = 24 * 60 * 60 * 1_000;

/** SDKs decide on positions of topics of their own, which exist on no log. */
const SDK_TOPIC = /^local\/[0-9a-f-]{36}$/;

/** @returns null if nothing is wrong */
export function faultOf(record: ActionDecided | ActionSettled, nowMs: number): SdkRecordFault | null {
  return record.event === 'action.decided'
    ? decisionFault(record.decision, nowMs)
    : settlementFault(record.settlement, nowMs);
}

function decisionFault(decision: Decision, nowMs: number): SdkRecordFault | null {
  const { id, kind, source, action, verdict, chargedMicros, reservation, decidedAt, appendedAt } = decision;
  const field = (name: string, reason: string) => wrong(`/decision/${name}`, reason);
  if (action.id !== decision.actionId) return field('action/id', 'is not the id in actionId');
  if (action.agentId !== decision.agentId) return field('action/agentId', 'is not the agent in agentId');
  if (action.type !== decision.type) return field('action/type', 'is not the kind in type');
  if (verdict !== 'ALLOW' && (chargedMicros !== 0 || reservation !== null))
    return field('chargedMicros', `is a charge of a ${verdict}; only an ALLOW charges`);
  if (reservation !== null && reservation.micros !== chargedMicros)
    return field('chargedMicros', 'is not the amount in reservation/micros');
  const proven = proves(id, source, (atMs) => decisionId(source, atMs, kind));
  if (!proven) return field('id', 'is not the id that the decider of an SDK makes for this source');
  if (Math.max(Date.parse(decidedAt), Date.parse(appendedAt)) > nowMs + MOST_AHEAD_MS)
    return field('decidedAt', 'is more than a day in the future');
  return null;
}

function settlementFault({ id, source, settledAt }: Settlement, nowMs: number): SdkRecordFault | null {
  const field = (name: string, reason: string) => wrong(`/settlement/${name}`, reason);
  const proven = proves(id, source, (atMs) => settlementId(source, atMs));
  if (!proven) return field('id', 'is not the id that the decider of an SDK makes for this source');
  if (Date.parse(settledAt) > nowMs + MOST_AHEAD_MS)
    return field('settledAt', 'is more than a day in the future');
  return null;
}

/**
 * True if the source is one of an SDK, and the id follows from it. An id contains its time, so no other field is
 * needed. The plane decides on positions of the log, so none of its decisions has such an id.
 */
function proves(id: string, source: LogPosition, idAt: (atMs: number) => string): boolean {
  const atMs = timeOfId(id);
  return SDK_TOPIC.test(source.topic) && atMs !== null && idAt(atMs) === id;
}

function wrong(pointer: string, reason: string): SdkRecordFault {
  return {
    pointer,
    reason: `${pointer} ${reason}`,
    remedy: 'send records exactly as the SDK wrote them, and leave this one out',
  };
}
