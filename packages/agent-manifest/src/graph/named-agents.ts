/** The agents that a graph recipe names. They belong to manifests that are published in the same tenant. */
import type { AgentManifest, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { type Found, found, type Path } from '../read/fault.ts';

/** Says whether a published manifest has this agent. Absent: it is not known what is published. */
export type KnownAgents = { isAgent?: ((agentId: string) => boolean) | undefined };

type NamedAgent = { agentId: string; path: Path };

/** Returns the ids of the agents, each once. A manifest with a workflow names no agents of other manifests. */
export function agentsNamedIn(document: AgentManifest | GraphRecipe): readonly string[] {
  return 'topology' in document ? [...new Set(namedIn(document).map(({ agentId }) => agentId))] : [];
}

export function unknownAgents(recipe: GraphRecipe, { isAgent = () => true }: KnownAgents): Found[] {
  return namedIn(recipe)
    .filter(({ agentId }) => !isAgent(agentId))
    .map(({ agentId, path }) =>
      found(
        'REFERENCE_MISSING',
        path,
        `names "${agentId}", which is no agent of a published manifest: publish its manifest first, and write the id of the agent (research.writer)`,
      ),
    );
}

function namedIn({ topology: { nodes } }: GraphRecipe): NamedAgent[] {
  return nodes.flatMap((node, at): NamedAgent[] => {
    const path = ['topology', 'nodes', at];
    if (node.type === 'agent') return [{ agentId: node.agent_ref, path: [...path, 'agent_ref'] }];
    if (node.type !== 'evaluator') return [];
    return [{ agentId: node.evaluator_agent_ref, path: [...path, 'evaluator_agent_ref'] }];
  });
}
