import type { TenantControl } from '../tenant-control.ts';

/**
 * Returns the id of the manifest in force that has this agent. Null if there is none. The first agent of a manifest is
 * the manifest itself.
 */
export function manifestOfAgent(manifests: TenantControl['manifests'], agentId: string): string | null {
  // The ids of agents begin with the id of their manifest, and a dot.
  for (let end = agentId.indexOf('.'); end !== -1; end = agentId.indexOf('.', end + 1)) {
    const id = agentId.slice(0, end);
    if (manifests.get(id)?.owns.agents.includes(agentId)) return id;
  }
  return null;
}
