/** Agents that act only under a grant: a mandate that was issued to them, for a while. Leaving it out gives them nothing. */

import { COMPOSED } from '@mandate/policy/parts';
import type { AgentDocument } from '@mandate/schemas';

/**
 * The agent that requires it: the one that acts, or an ancestor, because descendants may not do more than it; null if
 * none does, or the action names a grant.
 *
 * @param ancestors the nearest first
 */
export function grantRequiredBy(
  mandateId: string | undefined,
  agent: AgentDocument,
  ancestors: Iterable<AgentDocument>,
): string | null {
  if (mandateId !== undefined && mandateId !== COMPOSED) return null;
  if (agent.requiresGrant) return agent.id;
  for (const { id, requiresGrant } of ancestors) if (requiresGrant) return id;
  return null;
}
