/** Compares the tools of two agents, as sets by their names in Mandate. */

import { deepEqual } from '@mandate/schemas';
import type { RiskLevel, ToolEntry } from '@mandate/schemas/agent-manifest';
import { type AgentTool, type Catalog, findTool } from '../catalog.ts';
import { type Change, changeAt } from './change.ts';
import { identityOf } from './identity.ts';
import { schemaDifferences } from './schemas.ts';

export type Tools = ReadonlyMap<string, AgentTool>;

/** Two tools with one name are a fault. If a manifest has them nevertheless, both are compared. */
export function toolsOf(catalog: Catalog, written: readonly ToolEntry[] = []): Tools {
  const tools = new Map<string, AgentTool>();
  for (const entry of written) {
    const read = findTool(catalog, entry);
    const tool = read.found === 'ok' ? read.tool : unknownTool(entry);
    tools.set(tools.has(tool.name) ? `${tool.name} ${tools.size}` : tool.name, tool);
  }
  return tools;
}

/** A valid manifest has no such tool. It counts as a tool with an unknown address. */
function unknownTool(entry: ToolEntry): AgentTool {
  const name = typeof entry === 'string' ? entry : 'name' in entry ? entry.name : entry.uri;
  return { name, risk: null, uri: name, description: null, hash: null, inline: null, entry: null };
}

export function toolsChanged(path: string, was: Tools, is: Tools): Change[] {
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name) =>
    toolChanged(`${path}.${name}`, was.get(name), is.get(name)),
  );
}

function toolChanged(path: string, was: AgentTool | undefined, is: AgentTool | undefined): Change[] {
  if (is === undefined) return [changeAt(path, was, is, { category: 'BREAKING', widens: false })];
  if (was === undefined) return [changeAt(path, was, is, { category: 'FEATURE', widens: true })];
  // A change in a definition is reported once, at the definition, and not again for each agent.
  const sameDefinition =
    was.entry !== null && is.entry !== null && identityOf(was.entry) === identityOf(is.entry);
  const differences = sameDefinition ? hashDifference(was, is) : differencesOf(was, is);
  if (differences.length > 0)
    return [changeAt(path, was, is, { category: 'GOVERNANCE', widens: together(differences) })];
  return isDescribedOtherwise(was, is) ? [changeAt(path, was, is, { category: 'PATCH', widens: null })] : [];
}

function isDescribedOtherwise({ inline: was }: AgentTool, { inline: is }: AgentTool): boolean {
  if (was === null || is === null) return false;
  return was.description !== is.description || schemaDifferences(was.parameters, is.parameters).size > 0;
}

/** True if the second tool lets an agent do something that the first does not. */
export function toolWidens(was: AgentTool, is: AgentTool): boolean {
  return differencesOf(was, is).includes(true);
}

/** For each kind of difference: whether it gives an agent more. */
type Differences = readonly (boolean | null)[];

function differencesOf(was: AgentTool, is: AgentTool): Differences {
  return [
    ...(was.uri === is.uri ? [] : [true]),
    ...(was.risk === is.risk ? [] : [riskWidens(was.risk, is.risk)]),
    ...hashDifference(was, is),
    ...parametersDifference(was, is),
  ];
}

/** Another hash does not widen: the hash still allows only one form of the tool. */
function hashDifference(was: AgentTool, is: AgentTool): Differences {
  return was.hash === is.hash ? [] : [is.hash === null];
}

function parametersDifference({ inline: was }: AgentTool, { inline: is }: AgentTool): Differences {
  if (was === null || is === null) return was === is ? [] : [is === null ? true : null];
  if (deepEqual(was.parameters, is.parameters)) return [];
  const found = schemaDifferences(was.parameters, is.parameters);
  if (found.has('other') || found.has('wider')) return [true];
  if (found.has('narrower')) return [false];
  return found.has('default') ? [null] : [];
}

function together(differences: Differences): boolean | null {
  if (differences.includes(true)) return true;
  return differences.includes(null) ? null : false;
}

const RANK: Readonly<Record<RiskLevel, number>> = { safe: 0, standard: 1, critical: 2 };

/**
 * The gate ranks a tool without a risk level above a critical tool. The compilation treats it as critical unless an
 * option says otherwise. So nothing can be said about a removed risk level.
 */
export function riskWidens(was: RiskLevel | null, is: RiskLevel | null): boolean | null {
  if (was === null) return is !== null;
  if (is === null) return null;
  return RANK[is] < RANK[was];
}
