/** The steps of a manifest of kind `Agent` without a workflow: one for each agent. A run picks one of them. */
import type { AgentManifest, AgentStep } from '@mandate/schemas/agent-manifest';
import { catalogOf } from './catalog.ts';

/** The keys of the agents of a manifest, as runs name them. A member of a pack has its id instead. */
export function agentKeysOf(manifest: AgentManifest): readonly string[] {
  return catalogOf(manifest).agent.entries.map(({ key, id }) => key ?? id);
}

/** The key of a step is the key of its agent. A member of a pack has its id instead. */
export function agentSteps(manifest: AgentManifest): readonly { key: string; step: AgentStep }[] {
  return catalogOf(manifest).agent.entries.map(({ key, id }) => ({
    key: key ?? id,
    step: { type: 'agent', agent: key ?? id },
  }));
}
