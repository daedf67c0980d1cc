/**
 * The rule for an agent that may use a tool for the first time. The first use is recorded even if the rule is off, so
 * it is known if the rule is turned on later.
 */
import type { Decision } from '@mandate/schemas';
import type { Finding } from './finding.ts';

export function firstUse(decision: Decision, { quiet }: { quiet: boolean }): Finding[] {
  const { tenant, agentId, tool, actionId, verdict, kind } = decision;
  if (tool === null || verdict !== 'ALLOW' || kind !== 'first') return [];
  return [
    {
      rule: 'first_use',
      tenant,
      subject: `${agentId} ${tool}`,
      holds: true,
      order: decision.ledgerSequence,
      at: decision.decidedAt,
      message: `${agentId} uses ${tool} for the first time.`,
      facts: { agentId, tool, actionId, decisionId: decision.id },
      quiet,
    },
  ];
}
