/**
 * Finds the agents that a caller may act for. The tenant is always that of the key. A tenant in a body must be the
 * same.
 */

import type { ApiKeyRecord } from '@mandate/schemas';
import { HttpProblem, speaksFor } from '@mandate/server';

/** Throws TENANT_MISMATCH or AGENT_NOT_ALLOWED if the key may not act for this agent. */
export function mustSpeakFor(
  key: ApiKeyRecord,
  said: { tenant?: string | undefined; agentId: string },
): void {
  if (said.tenant !== undefined && said.tenant !== key.tenant) {
    throw new HttpProblem(
      403,
      'TENANT_MISMATCH',
      `this key belongs to the tenant ${key.tenant}, not to ${said.tenant}`,
      {
        remedy: 'Leave the tenant out, or use a key of that tenant.',
      },
    );
  }
  if (!speaksFor(key, said.agentId)) {
    throw new HttpProblem(403, 'AGENT_NOT_ALLOWED', `this key may not speak for the agent ${said.agentId}`, {
      remedy: 'Use a key that names this agent: `mandate agents keys issue` issues one.',
    });
  }
}

/**
 * True if the key may see the agent. A key that may audit or operate sees all agents of its tenant. Other keys see
 * only the agents that they publish for.
 */
export function maySee(key: ApiKeyRecord, agentId: string): boolean {
  return seesEveryAgent(key) || speaksFor(key, agentId);
}

export function seesEveryAgent({ scopes }: ApiKeyRecord): boolean {
  return scopes.includes('audit') || scopes.includes('operate');
}

/** Returns the tenant to show: the tenant of the key, or any tenant for operate:all. Throws TENANT_MISMATCH. */
export function tenantToSee(key: ApiKeyRecord, asked: string | undefined): string {
  if (asked === undefined || asked === key.tenant || key.scopes.includes('operate:all'))
    return asked ?? key.tenant;
  throw new HttpProblem(
    403,
    'TENANT_MISMATCH',
    `this key belongs to the tenant ${key.tenant}, not to ${asked}`,
    {
      remedy: 'Leave the tenant out, or use a key that has the scope operate:all.',
    },
  );
}
