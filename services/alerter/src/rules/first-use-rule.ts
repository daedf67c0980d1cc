/** An agent was allowed a tool that it had never been allowed before. Noted in any case, or it would not be known later. */
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
      said: `${agentId} uses ${tool} for the first time.`,
      facts: { agentId, tool, actionId, decisionId: decision.id },
      quiet,
    },
  ];
}
