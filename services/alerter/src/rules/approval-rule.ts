/** An action waits for a person: from its DEFER until somebody answers, or it is decided otherwise. */
import { type ApprovalRecorded, type Decision, durationInWords } from '@mandate/schemas';
import type { Alarms } from './alarms.ts';
import type { Finding } from './finding.ts';

export function deferred(decision: Decision): Finding[] {
  const { tenant, agentId, actionId, tool, verdict, kind, decidedAt: at, ledgerSequence: order } = decision;
  const about = { tenant, subject: subjectOf(decision), order, at };
  if (verdict === 'DEFER') {
    const said = `${agentId} waits for a person to confirm ${tool ?? 'an action'} (${actionId}).`;
    const facts = { agentId, actionId, tool, decisionId: decision.id };
    return [{ ...about, rule: 'approval', holds: true, said, facts }];
  }
  // What a repeat is told says nothing of the action that it repeats.
  if (kind === 'duplicate') return [];
  return over(about, { agentId, actionId, tool }, `${actionId} of ${agentId} was decided: ${decision.code}.`);
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

/** Those that nobody has answered for `overdueMs`. */
export function* overdue(alarms: Alarms, overdueMs: number, nowMs: number): Generator<Finding> {
  for (const { tenant, subject, stands, order, at, facts } of alarms.of('approval')) {
    const dueMs = Date.parse(at) + overdueMs;
    // Many may wait for ever, and are looked at every second: those that were told of cost no more than this.
    if (!stands || nowMs < dueMs || alarms.get('approval_overdue', tenant, subject)?.stands) continue;
    const said = `Nobody has answered for ${String(facts.actionId)} of ${String(facts.agentId)} in ${durationInWords(overdueMs)}.`;
    yield {
      rule: 'approval_overdue',
      tenant,
      subject,
      holds: true,
      order,
      at: new Date(dueMs).toISOString(),
      said,
      facts: { ...facts, waitingSince: at },
    };
  }
}

type About = Pick<Finding, 'tenant' | 'subject' | 'order' | 'at'>;

function over(about: About, facts: Finding['facts'], said: string): Finding[] {
  const rules = ['approval', 'approval_overdue'] as const;
  return rules.map((rule) => ({ ...about, rule, holds: false, said, facts }));
}

/** Ids hold no blanks. */
function subjectOf({ agentId, actionId }: { agentId: string; actionId: string }): string {
  return `${agentId} ${actionId}`;
}
