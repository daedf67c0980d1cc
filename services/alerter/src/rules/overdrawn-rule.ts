/**
 * The rule for an outcome that cost more than was left in a budget. The agent is blocked until an action of the agent
 * is allowed again.
 */
import { type Decision, formatMicros, type Settlement, UNIT_NAMES, unitsIn } from '@mandate/schemas';
import type { Finding } from './finding.ts';

export function overdrawn(settlement: Settlement): Finding[] {
  const { tenant, agentId, actionId, marks, chargedMicros, cumulativeMicros, units } = settlement;
  if (!marks.includes('OVERDRAWN')) return [];
  const inUnits = unitsIn(units).filter(([, { overdrawn }]) => overdrawn);
  const used = inUnits
    .map(([unit, { charged }]) => `, and used ${charged} ${UNIT_NAMES[unit].noun}`)
    .join('');
  return [
    {
      rule: 'overdrawn',
      tenant,
      subject: agentId,
      holds: true,
      order: settlement.ledgerSequence,
      at: settlement.settledAt,
      message: `A budget of ${agentId} is overdrawn: ${actionId} cost ${formatMicros(chargedMicros)} in all${used}.`,
      facts: {
        ...{ agentId, actionId, chargedMicros, cumulativeMicros },
        ...(inUnits.length > 0 && {
          charged: Object.fromEntries(inUnits.map(([unit, { charged }]) => [unit, charged])),
        }),
      },
    },
  ];
}

export function roomAgain(decision: Decision): Finding[] {
  const { tenant, agentId, verdict, observed, actionId, cumulativeMicros } = decision;
  if (verdict !== 'ALLOW' || observed !== null) return [];
  return [
    {
      rule: 'overdrawn',
      tenant,
      subject: agentId,
      holds: false,
      order: decision.ledgerSequence,
      at: decision.decidedAt,
      message: `${agentId} may spend again: ${actionId} was allowed.`,
      facts: { agentId, actionId, cumulativeMicros },
    },
  ];
}
