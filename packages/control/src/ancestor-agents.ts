import type { Ancestor } from '@mandate/policy/parts';
import { type AgentDocument, CAPS } from '@mandate/schemas';
import { agentOf } from './compile-control.ts';
import type { Revisioned } from './revisioned.ts';
import type { TenantControl } from './tenant-control.ts';

const NOBODY: readonly Ancestor[] = [];

/**
 * Returns the ancestors of an agent, the nearest first. The list ends at an ancestor that is no longer registered,
 * because the parent of that ancestor is unknown. If the chain is too long, the list ends with one ancestor more than
 * allowed. The register refuses such a chain, but a preview may contain one.
 */
export function ancestorAgents(
  agents: Pick<TenantControl['agents'], 'get'>,
  { parent }: AgentDocument,
): readonly Ancestor[] {
  if (parent === undefined) return NOBODY;
  const ancestors: Ancestor[] = [];
  let id: string | undefined = parent;
  while (id !== undefined) {
    const kept: Revisioned<AgentDocument> | undefined =
      ancestors.length < CAPS.parents ? agents.get(id) : undefined;
    ancestors.push({ id, agent: kept === undefined ? null : agentOf(kept) });
    id = kept?.document.parent;
  }
  return ancestors;
}

/** Yields the documents of the registered ancestors, the nearest first. */
export function* ancestorDocuments(
  agents: Pick<TenantControl['agents'], 'get'>,
  { parent }: AgentDocument,
): Generator<AgentDocument> {
  let next = parent;
  for (let height = 0; next !== undefined && height < CAPS.parents; height += 1) {
    const document: AgentDocument | undefined = agents.get(next)?.document;
    if (document !== undefined) yield document;
    next = document?.parent;
  }
}
