/** Guesses the format of files from their names. If the names do not show it, from their content. */
import { readMap } from './import-file.ts';
import { ImportNotes } from './import-notes.ts';
import type { ImportFormat, ImportSource } from './imported.ts';
import { isMap, type Json } from './json-value.ts';

const BY_NAME: readonly (readonly [name: RegExp, format: ImportFormat])[] = [
  [/\.agent\.md$/i, 'copilot'],
  [/\.chatmode\.md$/i, 'copilot'],
  [/\.md$/i, 'claude-code'],
  [/(?:^|[/\\])(?:\.mcp|mcp|claude_desktop_config|mcp_settings|cline_mcp_settings)\.json$/i, 'mcp'],
  [/(?:^|[/\\])agent(?:-card)?\.json$/i, 'a2a'],
  [/(?:^|[/\\])server\.json$/i, 'mcp-registry'],
  [/(?:^|[/\\])(?:agents|tasks)\.ya?ml$/i, 'crewai'],
  [/(?:^|[/\\])cagent\.ya?ml$/i, 'cagent'],
];

/** Returns the format of the first file. Null if the format is unclear. */
export function guessFormat(sources: readonly ImportSource[]): ImportFormat | null {
  const [first] = sources;
  if (first === undefined) return null;
  return byContent(first) ?? BY_NAME.find(([name]) => name.test(first.path))?.[1] ?? null;
}

function byContent(source: ImportSource): ImportFormat | null {
  if (source.text.trimStart().startsWith('---') || /\.md$/i.test(source.path)) return null;
  const value = readMap(source, 'file', new ImportNotes())?.value;
  if (value === undefined) return null;
  const has = (...names: readonly string[]) => names.every((name) => Object.hasOwn(value, name));
  if (has('mcpServers') || (has('servers') && isMap(value.servers))) return 'mcp';
  if (has('component_type') || has('$component_ref') || has('agentspec_version')) return 'agent-spec';
  if (has('skills') && (has('protocolVersion') || has('supportedInterfaces') || has('url'))) return 'a2a';
  if (has('name') && (has('packages') || has('remotes'))) return 'mcp-registry';
  const agents = value.agents;
  const isOfCagent = (agent: Json) =>
    isMap(agent) && ['instruction', 'toolsets', 'sub_agents'].some((field) => Object.hasOwn(agent, field));
  if (isMap(agents) && Object.values(agents).some(isOfCagent)) return 'cagent';
  const members = Object.values(value);
  const isCrew = (member: Json) =>
    isMap(member) && (Object.hasOwn(member, 'backstory') || Object.hasOwn(member, 'expected_output'));
  return members.length > 0 && members.every(isCrew) ? 'crewai' : null;
}
