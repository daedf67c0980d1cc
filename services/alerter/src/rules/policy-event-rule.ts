/**
 * The rule for events that policies mark on decisions (`audit.log_events`). For each agent, each event is reported once
 * an hour. Otherwise an event of every call would fill the list of alerts.
 */
import type { Decision, GovernanceEvent } from '@mandate/schemas';
import type { Finding } from './finding.ts';

/** @param events the events that the rule file names */
export function policyEvents(decision: Decision, events: readonly GovernanceEvent[]): Finding[] {
  const { tenant, agentId, actionId, tool, code, kind, duplicateOf, decidedAt: at } = decision;
  if (kind === 'duplicate' || duplicateOf !== null) return [];
  const marked = (decision.events ?? []).filter((event) => events.includes(event));
  return marked.map((event) => ({
    rule: 'policy_event',
    tenant,
    subject: `${agentId} ${event} ${at.slice(0, '2026-01-01T00'.length)}`,
    holds: true,
    order: decision.ledgerSequence,
    at,
    message: `A decision for ${agentId} is marked ${event}: ${code}.`,
    facts: { agentId, event, actionId, decisionId: decision.id, code, tool },
  }));
}
