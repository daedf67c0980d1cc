/** Finds agents that may act only under a grant. Without a grant they may do nothing. */

import { COMPOSED } from '@mandate/policy/parts';
import type { AgentDocument } from '@mandate/schemas';

/**
 * Returns the agent that requires a grant: the acting agent or an ancestor, because descendants may do no more than
 * their ancestors. Null if none requires it, or if the action names a grant.
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
