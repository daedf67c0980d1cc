/**
 * The rule for an action that waits for a person. The wait begins with its DEFER, or when a grant comes too late. The
 * wait ends when a person answers, when the action is decided otherwise, or after a day. By then the ledger has
 * forgotten the question, so the next request asks again, with a new alert.
 */
import {
  type ApprovalRecorded,
  approvalId,
  DEFAULTS,
  type Decision,
  durationInWords,
  standsForAction,
  wireTime,
} from '@mandate/schemas';
import type { Alarm, Alarms } from './alarms.ts';
import type { Finding } from './finding.ts';

const FORGOTTEN_AFTER_MS = DEFAULTS.replayMemoryMs;

export function deferred(decision: Decision, alarms: Alarms): Finding[] {
  const { tenant, agentId, actionId, tool, verdict, code, kind } = decision;
  const { decidedAt: at, ledgerSequence: order } = decision;
  const about = { tenant, subject: subjectOf(decision), order, at };
  if (verdict === 'DEFER' || code === 'APPROVAL_EXPIRED') {
    const message = `${agentId} waits for a person to confirm ${tool ?? 'an action'} (${actionId}).`;
    const facts = { agentId, actionId, tool, decisionId: decision.id, approvalId: approvalId(decision) };
    const before = alarms.get('approval', tenant, about.subject);
    return [
      ...(before === undefined ? [] : forgotten(before, alarms, Date.parse(at), FORGOTTEN_AFTER_MS)),
      { ...about, rule: 'approval', holds: true, message, facts },
    ];
  }
  // The answer to a duplicate does not change the state of the action.
  if (!standsForAction(kind)) return [];
  return over(about, { agentId, actionId, tool }, `${actionId} of ${agentId} was decided: ${code}.`);
}

export function answered({ approval }: ApprovalRecorded): Finding[] {
  const { tenant, agentId, actionId, answer, by, at, ledgerSequence: order } = approval;
  const about = { tenant, subject: subjectOf(approval), order, at };
  return over(
    about,
    { agentId, actionId, answer, by },
    `${by} answered for ${actionId} of ${agentId}: ${answer}.`,
  );
}

/** Yields findings for unanswered questions: overdue after `overdueMs`, if that is set, and cleared one day later. */
export function* unanswered(
  alarms: Alarms,
  overdueMs: number | undefined,
  nowMs: number,
): Generator<Finding> {
  for (const alarm of alarms.of('approval')) {
    if (!alarm.stands) continue;
    if (overdueMs !== undefined) yield* overdue(alarm, alarms, overdueMs, nowMs);
    yield* forgotten(alarm, alarms, nowMs, FORGOTTEN_AFTER_MS + (overdueMs ?? 0));
  }
}

function overdue(alarm: Alarm, alarms: Alarms, overdueMs: number, nowMs: number): Finding[] {
  const { tenant, subject, order, at, facts } = alarm;
  const dueMs = Date.parse(at) + overdueMs;
  // This check comes first because it is cheap: many questions may wait, and all are checked every second.
  if (nowMs < dueMs || alarms.get('approval_overdue', tenant, subject)?.stands) return [];
  return [
    {
      rule: 'approval_overdue',
      tenant,
      subject,
      holds: true,
      order,
      at: wireTime(dueMs),
      message: `The question about ${String(facts.actionId)} of ${String(facts.agentId)} has had no answer for ${durationInWords(overdueMs)}.`,
      facts: { ...facts, waitingSince: at },
    },
  ];
}

/**
 * Returns a finding that clears an old alarm. It has the order of the record that raised or last confirmed the alarm.
 */
function forgotten(alarm: Alarm, alarms: Alarms, nowMs: number, afterMs: number): Finding[] {
  const { tenant, subject, stands, at, facts } = alarm;
  const endMs = Date.parse(at) + afterMs;
  if (!stands || nowMs < endMs) return [];
  return over(
    { tenant, subject, order: alarms.newestOrder(alarm), at: wireTime(endMs) },
    { ...facts, waitingSince: at },
    `The question about ${String(facts.actionId)} of ${String(facts.agentId)} expired without an answer. The agent must ask again.`,
  );
}

type About = Pick<Finding, 'tenant' | 'subject' | 'order' | 'at'>;

function over(about: About, facts: Finding['facts'], message: string): Finding[] {
  const rules = ['approval', 'approval_overdue'] as const;
  return rules.map((rule) => ({ ...about, rule, holds: false, message, facts }));
}

/** Ids contain no spaces, so subjects are unique. */
function subjectOf({ agentId, actionId }: { agentId: string; actionId: string }): string {
  return `${agentId} ${actionId}`;
}
