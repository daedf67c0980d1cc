/** Finds tools that an agent lists twice, different tools with one name, and agents that vote twice. */
import { canonicalJson } from '@mandate/policy';
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import { sameAddress } from '../../addresses.ts';
import { type AgentTool, type Catalog, findDefinition, findTool, toolNameOf } from '../../catalog.ts';
import { type Found, found, type Path } from '../fault.ts';

export function toolFaults(manifest: AgentManifest, catalog: Catalog): Found[] {
  return [...nameClashes(manifest, catalog), ...toolsTwice(catalog), ...votersTwice(manifest, catalog)];
}

/** A tool with the place where it is written. Two tools with the same `identity` are the same tool. */
type Placed = { name: string; identity: unknown; path: Path };

/** Policies and the audit know a tool only by its name. So they could not distinguish two tools with the same name. */
function nameClashes(manifest: AgentManifest, catalog: Catalog): Found[] {
  const tools: Placed[] = [
    ...catalog.tool.entries.map((entry) => ({ name: toolNameOf(entry), identity: entry, path: entry.at })),
    ...toolsOfAgents(catalog).map(({ tool, path }) => ({
      name: tool.name,
      identity: identityOf(tool),
      path,
    })),
  ];
  const known = new Map<string, Placed>(
    Object.keys(manifest.workflow?.steps ?? {}).map((key) => {
      const step = { name: `step.${key}`, identity: null, path: ['workflow', 'steps', key] };
      return [step.name, step];
    }),
  );
  return tools.flatMap((tool): Found[] => {
    const before = known.get(tool.name);
    if (before === undefined) known.set(tool.name, tool);
    if (before === undefined || before.identity === tool.identity) return [];
    return [
      found(
        'TOOL_NAME_CLASH',
        tool.path,
        () =>
          `is called "${tool.name}" in Mandate, like ${before.path.join('.')}, which is another tool: give one of them another id or name`,
      ),
    ];
  });
}

function toolsTwice(catalog: Catalog): Found[] {
  const byAgent = new Map<Path, Map<string, Path>>();
  return toolsOfAgents(catalog).flatMap(({ tool, path, agent }): Found[] => {
    const known = byAgent.get(agent) ?? new Map<string, Path>();
    byAgent.set(agent, known);
    const before = known.get(tool.name);
    if (before === undefined) {
      known.set(tool.name, path);
      return [];
    }
    return [
      found(
        'TOOL_DUPLICATE',
        path,
        () => `is the tool "${tool.name}", which ${before.join('.')} names already: remove one of them`,
      ),
    ];
  });
}

function votersTwice({ workflow }: AgentManifest, catalog: Catalog): Found[] {
  return Object.entries(workflow?.steps ?? {}).flatMap(([key, step]) => {
    if (step.type !== 'council') return [];
    const known = new Set<unknown>();
    return step.voters.flatMap((voter, index): Found[] => {
      const read = findDefinition(catalog, 'agent', voter);
      if (read.found !== 'ok') return [];
      if (!known.has(read.entry)) {
        known.add(read.entry);
        return [];
      }
      const path = ['workflow', 'steps', key, 'voters', index];
      return [
        found(
          'VOTER_DUPLICATE',
          path,
          () => `is the agent ${read.entry.path}, which votes already: each agent has one vote`,
        ),
      ];
    });
  });
}

type ListedTool = { tool: AgentTool; path: Path; agent: Path };

/** Returns the tools that agents list, except entries that lead to no tool. */
function toolsOfAgents(catalog: Catalog): ListedTool[] {
  return catalog.agent.entries.flatMap(({ at, definition }) =>
    (definition.tools ?? []).flatMap((written, index): ListedTool[] => {
      const read = findTool(catalog, written);
      return read.found === 'ok' ? [{ tool: read.tool, path: [...at, 'tools', index], agent: at }] : [];
    }),
  );
}

/** Inline tools of two agents are the same tool if their definitions are equal. */
function identityOf({ entry, inline, uri }: AgentTool): unknown {
  if (entry !== null) return entry;
  return inline === null ? sameAddress(uri ?? '') : canonicalJson(inline);
}
