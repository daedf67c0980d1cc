/** Finds what is wrong with a decision or settlement of an SDK that has the right shape. */
import { decisionId, settlementId } from '@mandate/policy';
import {
  type ActionDecided,
  type ActionSettled,
  type Decision,
  type LogPosition,
  type Settlement,
  timeOfId,
} from '@mandate/schemas';

/** `pointer` names the field. The texts are phrases, as in the faults of other records. */
export type SdkRecordFault = { pointer: string; reason: string; remedy: string };

/** The clock of an agent may be wrong. But a record from far in the future would stay the newest for a long time. */
const MOST_AHEAD_MS = 24 * 60 * 60 * 1_000;

/** An SDK decides on positions of a topic of its own, which exists on no log. */
const SDK_TOPIC = /^local\/[0-9a-f-]{36}$/;

/** @returns null if nothing is wrong */
export function faultOf(record: ActionDecided | ActionSettled, nowMs: number): SdkRecordFault | null {
  return record.event === 'action.decided'
    ? decisionFault(record.decision, nowMs)
    : settlementFault(record.settlement, nowMs);
}

function decisionFault(decision: Decision, nowMs: number): SdkRecordFault | null {
  const { id, kind, source, action, verdict, chargedMicros, reservation, decidedAt, appendedAt } = decision;
  const field = fieldOf('decision');
  if (action.id !== decision.actionId) return field('action/id', 'is not the id in actionId');
  if (action.agentId !== decision.agentId) return field('action/agentId', 'is not the agent in agentId');
  if (action.type !== decision.type) return field('action/type', 'is not the kind in type');
  if (verdict !== 'ALLOW' && (chargedMicros !== 0 || reservation !== null))
    return field('chargedMicros', `is a charge of a ${verdict}; only an ALLOW charges`);
  if (reservation !== null && reservation.micros !== chargedMicros)
    return field('chargedMicros', 'is not the amount in reservation/micros');
  if (Math.max(Date.parse(decidedAt), Date.parse(appendedAt)) > nowMs + MOST_AHEAD_MS)
    return field('decidedAt', 'is more than a day in the future');
  return idFault({ id, source }, (atMs) => decisionId(source, atMs, kind), { field, nowMs });
}

function settlementFault({ id, source, settledAt }: Settlement, nowMs: number): SdkRecordFault | null {
  const field = fieldOf('settlement');
  if (Date.parse(settledAt) > nowMs + MOST_AHEAD_MS)
    return field('settledAt', 'is more than a day in the future');
  return idFault({ id, source }, (atMs) => settlementId(source, atMs), { field, nowMs });
}

/**
 * Finds what is wrong with an id. The source must be a source of an SDK, and the id must follow from it. The plane
 * decides on positions of the log, so none of its decisions has such an id. The audit sorts by the time in an id.
 */
function idFault(
  { id, source }: { id: string; source: LogPosition },
  idAt: (atMs: number) => string,
  { field, nowMs }: { field: ReturnType<typeof fieldOf>; nowMs: number },
): SdkRecordFault | null {
  const atMs = timeOfId(id);
  if (!SDK_TOPIC.test(source.topic) || atMs === null || idAt(atMs) !== id)
    return field('id', 'is not the id that the decider of an SDK makes for this source');
  return atMs > nowMs + MOST_AHEAD_MS ? field('id', 'contains a time more than a day in the future') : null;
}

/** Returns a function that makes a fault of a field of the record. */
function fieldOf(content: 'decision' | 'settlement'): (name: string, reason: string) => SdkRecordFault {
  return (name, reason) => ({
    pointer: `/${content}/${name}`,
    reason: `/${content}/${name} ${reason}`,
    remedy: 'send records exactly as the SDK wrote them, and leave this one out',
  });
}
