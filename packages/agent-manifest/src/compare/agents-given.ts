/**
 * What an agent of a manifest may do, and which agents of a new manifest may do more than any agent that they replace.
 * An agent can get more without a change of its own definition: a step names another agent, a definition is renamed,
 * or a pack brings a second one.
 */
import { canonicalJson } from '@mandate/policy';
import { type Catalog, type Entry, findDefinition } from '../catalog.ts';
import { limitWidens } from './fields.ts';
import { identityOf } from './identity.ts';
import { type Tools, toolsOf, toolWidens } from './tools.ts';

/** The limits of model calls that the runner and the policies keep. */
export const LIMITS = [
  'context_window_size',
  'max_output_tokens',
  'rate_limit_rpm',
  'rate_limit_tpm',
] as const;

/** `tools`: the tools of each agent, by the identity of the agent. */
export type Agents = { catalog: Catalog; tools: ReadonlyMap<string, Tools> };

export function agentsOf(catalog: Catalog): Agents {
  const tools = catalog.agent.entries.map(
    (entry) => [identityOf(entry), toolsOf(catalog, entry.definition.tools)] as const,
  );
  return { catalog, tools: new Map(tools) };
}

/**
 * Returns the identities of the new agents that are given tools. A new agent that may do exactly what a removed agent
 * may do is a renamed agent, and gets nothing. Each removed agent excuses one new agent: two would call twice as often.
 */
export function agentsGivenMore(was: Agents, is: Agents): ReadonlySet<string> {
  const removed = new Map<string, number>();
  for (const entry of was.catalog.agent.entries) {
    if (is.tools.has(identityOf(entry))) continue;
    const authority = authorityOf(was, entry);
    removed.set(authority, (removed.get(authority) ?? 0) + 1);
  }
  const given = new Set<string>();
  for (const entry of is.catalog.agent.entries) {
    const identity = identityOf(entry);
    if (was.tools.has(identity) || toolsOfAgent(is, entry).size === 0) continue;
    const authority = authorityOf(is, entry);
    const left = removed.get(authority) ?? 0;
    if (left === 0) given.add(identity);
    removed.set(authority, Math.max(0, left - 1));
  }
  return given;
}

/** All that decides what an agent may do, as a text. */
function authorityOf(agents: Agents, entry: Entry<'agent'>): string {
  const tools = [...toolsOfAgent(agents, entry).values()].map(({ name, uri, risk, hash, inline }) =>
    canonicalJson([name, uri, risk, hash, inline?.parameters ?? null]),
  );
  return canonicalJson([tools.toSorted(), entry.definition.resources?.constraints ?? null]);
}

/** True if the agent that a reference means now may do more than the agent that a reference meant before. */
export function agentWidens(was: Agents, before: string | undefined, is: Agents, after: string): boolean {
  const now = findDefinition(is.catalog, 'agent', after);
  // The name of a model: it has no tools.
  if (now.found !== 'ok') return false;
  const then = before === undefined ? null : findDefinition(was.catalog, 'agent', before);
  const old = then?.found === 'ok' ? then.entry : null;
  const had: Tools = old === null ? new Map() : toolsOfAgent(was, old);
  const hasMore = [...toolsOfAgent(is, now.entry)].some(([name, tool]) => {
    const earlier = had.get(name);
    return earlier === undefined || toolWidens(earlier, tool);
  });
  return hasMore || (old !== null && limitsWiden(old, now.entry));
}

function limitsWiden(was: Entry<'agent'>, is: Entry<'agent'>): boolean {
  const [before, after] = [was.definition.resources?.constraints, is.definition.resources?.constraints];
  return LIMITS.some((limit) => before?.[limit] !== undefined && limitWidens(before[limit], after?.[limit]));
}

function toolsOfAgent({ tools }: Agents, entry: Entry<'agent'>): Tools {
  return tools.get(identityOf(entry)) ?? new Map();
}
