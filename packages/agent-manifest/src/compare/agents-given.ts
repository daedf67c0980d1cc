/**
 * Finds what an agent of a manifest may do, and which agents of a new manifest may do more than every agent that they
 * replace. An agent can get more without a change of its own definition: a step names another agent, a definition is
 * renamed, or a pack contains a second definition.
 */
import { canonicalJson } from '@mandate/policy';
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import type { AgentTool, Catalog, Entry } from '../catalog.ts';
import { limitWidens } from './fields.ts';
import { agentMeant, identityOf } from './identity.ts';
import { type Tools, toolsOf, toolWidens } from './tools.ts';

/** The limits of model calls that the runner and the policies enforce. */
export const LIMITS = [
  'context_window_size',
  'max_output_tokens',
  'rate_limit_rpm',
  'rate_limit_tpm',
] as const;

/** The agents of a manifest and their tools, by the identities of the agents. */
export type Agents = {
  catalog: Catalog;
  entries: ReadonlyMap<string, Entry<'agent'>>;
  tools: ReadonlyMap<string, Tools>;
};

export function agentsOf(catalog: Catalog): Agents {
  const entries = new Map(catalog.agent.entries.map((entry) => [identityOf(entry), entry]));
  const tools = [...entries].map(
    ([identity, { definition }]) => [identity, toolsOf(catalog, definition.tools)] as const,
  );
  return { catalog, entries, tools: new Map(tools) };
}

/**
 * Returns the identities of the new agents that get tools. A new agent that may do exactly what a removed agent may do
 * is a renamed agent, and gets nothing. Each removed agent explains one new agent only, because two agents could make
 * twice as many calls.
 */
export function agentsGivenMore(was: Agents, is: Agents): ReadonlySet<string> {
  const removed = new Map<string, number>();
  for (const identity of was.entries.keys()) {
    if (is.entries.has(identity)) continue;
    const authority = authorityOf(was, identity);
    removed.set(authority, (removed.get(authority) ?? 0) + 1);
  }
  const given = new Set<string>();
  for (const identity of is.entries.keys()) {
    if (was.entries.has(identity) || toolsOfAgent(is, identity).size === 0) continue;
    const authority = authorityOf(is, identity);
    const left = removed.get(authority) ?? 0;
    if (left === 0) given.add(identity);
    removed.set(authority, Math.max(0, left - 1));
  }
  return given;
}

/** Everything that decides what an agent may do and how much it may spend, as one text. */
function authorityOf(agents: Agents, identity: string): string {
  const tools = [...toolsOfAgent(agents, identity).values()].map(({ name, uri, risk, hash, inline }) =>
    canonicalJson([name, uri, risk, hash, inline?.parameters ?? null]),
  );
  const { constraints = null, pricing = null } = agents.entries.get(identity)?.definition.resources ?? {};
  return canonicalJson([tools.toSorted(), constraints, pricing]);
}

/**
 * True if the second agent may do something that the first may not do. Both parameters are identities. A model has no
 * tools and no limits.
 */
export function agentWidens(was: Agents, before: string | undefined, is: Agents, after: string): boolean {
  const had = before === undefined ? new Map<string, AgentTool>() : toolsOfAgent(was, before);
  const hasMore = [...toolsOfAgent(is, after)].some(([name, tool]) => {
    const earlier = had.get(name);
    return earlier === undefined || toolWidens(earlier, tool);
  });
  return hasMore || (before !== undefined && limitsWiden(was.entries.get(before), is.entries.get(after)));
}

function limitsWiden(was: Entry<'agent'> | undefined, is: Entry<'agent'> | undefined): boolean {
  const [before, after] = [was?.definition.resources?.constraints, is?.definition.resources?.constraints];
  return LIMITS.some((limit) => before?.[limit] !== undefined && limitWidens(before[limit], after?.[limit]));
}

/**
 * Returns a function that says whether an agent has a tool that the workflow could not reach before, because no step
 * called an agent with this tool. Without a workflow, a run may call each agent.
 */
export function beyondAsked(
  was: Agents,
  { workflow }: Pick<AgentManifest, 'workflow'>,
  is: Agents,
): (identity: string) => boolean {
  const asked = workflow === undefined ? new Set(was.entries.keys()) : askedBy(was, workflow);
  const tools = new Map<string, AgentTool[]>();
  for (const identity of asked)
    for (const [name, tool] of toolsOfAgent(was, identity)) {
      const known = tools.get(name) ?? [];
      if (!known.some((earlier) => !toolWidens(earlier, tool))) tools.set(name, [...known, tool]);
    }
  return (identity) =>
    !asked.has(identity) &&
    [...toolsOfAgent(is, identity)].some(
      ([name, tool]) => !tools.get(name)?.some((earlier) => !toolWidens(earlier, tool)),
    );
}

function askedBy(
  { catalog }: Agents,
  { steps }: NonNullable<AgentManifest['workflow']>,
): ReadonlySet<string> {
  const references = Object.values(steps).flatMap((step) => {
    if (step.type === 'agent') return [step.agent];
    return step.type === 'council' ? step.voters : [];
  });
  return new Set(references.map((reference) => agentMeant(catalog, reference)));
}

function toolsOfAgent({ tools }: Agents, identity: string): Tools {
  return tools.get(identity) ?? new Map();
}
