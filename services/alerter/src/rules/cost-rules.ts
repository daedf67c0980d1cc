/**
 * The rules for an actual cost above its cap, or above a `maxCostPerCall`. For each agent, each of the two is
 * reported once a day. Otherwise an agent could fill the list with alerts about every call.
 */
import { formatMicros, type Settlement, UNIT_NAMES, unitsIn } from '@mandate/schemas';
import type { Finding } from './finding.ts';

export function excess(settlement: Settlement): Finding[] {
  const { agentId, excessMicros, chargedMicros, units } = settlement;
  if (!settlement.marks.includes('EXCESS_QUARANTINED')) return [];
  const [first] = unitsIn(units).filter(([, { excess }]) => excess > 0);
  if (excessMicros === 0 && first !== undefined) {
    const [unit, { charged, excess }] = first;
    const { noun } = UNIT_NAMES[unit];
    const used = `An action of ${agentId} used more ${noun} than its cap: ${charged} are charged, and ${excess} count only for the agent itself.`;
    return [marked('excess', settlement, used)];
  }
  const message = `An action of ${agentId} cost more than its cap: ${formatMicros(chargedMicros)} are charged, and ${formatMicros(excessMicros)} wait for a person's decision.`;
  return [marked('excess', settlement, message)];
}

export function costPerCall(settlement: Settlement): Finding[] {
  const { agentId, actualCostMicros } = settlement;
  if (!settlement.marks.includes('COST_PER_CALL_EXCEEDED')) return [];
  const message = `An action of ${agentId} cost ${formatMicros(actualCostMicros ?? 0)}, which is more than its maxCostPerCall.`;
  return [marked('cost_per_call', settlement, message)];
}

function marked(rule: 'excess' | 'cost_per_call', settlement: Settlement, message: string): Finding {
  const { tenant, agentId, actionId, chargedMicros, excessMicros, settledAt: at } = settlement;
  const { actualCostMicros, reportedBy, ledgerSequence: order } = settlement;
  const facts = {
    ...{ agentId, actionId, actualCostMicros, chargedMicros, excessMicros },
    keyId: reportedBy.keyId,
  };
  const subject = `${agentId} ${at.slice(0, '2026-01-01'.length)}`;
  return { rule, tenant, subject, holds: true, order, at, message, facts };
}
