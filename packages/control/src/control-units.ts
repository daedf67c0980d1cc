/**
 * The size of all documents of a tenant. Every process keeps them in memory, so CAPS.controlUnits limits the size.
 */
import { CAPS, type ControlRecord } from '@mandate/schemas';
import { historyGrowth } from './manifests/manifest-history.ts';
import { unitsOf } from './revisioned.ts';
import type { TenantControl } from './tenant-control.ts';

export function isTooMuch({ units }: TenantControl, grows: number): boolean {
  return grows > 0 && units + grows > CAPS.controlUnits;
}

/** Returns how much the change adds to the size of all documents of a tenant, in UTF-16 units. */
export function growth({ agents, rules, manifests }: TenantControl, record: ControlRecord): number {
  switch (record.event) {
    case 'agent.put':
      return unitsOf(record.agent) - unitsOf(agents.get(record.agent.id)?.document);
    case 'agent.retired':
      return -unitsOf(agents.get(record.agentId)?.document);
    case 'policy.published':
      return unitsOf(record.policy);
    case 'rule.put':
      return unitsOf(record.rule) - unitsOf(rules.get(record.rule.id)?.document);
    case 'rule.removed':
      return -unitsOf(rules.get(record.ruleId)?.document);
    case 'rules.reordered':
      return record.ruleIds.reduce((sum, id, priority) => {
        const before = rules.get(id)?.document.priority ?? priority;
        return sum + `${priority}`.length - `${before}`.length;
      }, 0);
    case 'manifest.published':
    case 'manifest.removed':
      return historyGrowth(manifests, record);
    default:
      return 0;
  }
}
