/** Imports texts in tests, and returns the results in a short form. */
import type { AgentDefinition } from '@mandate/schemas/agent-manifest';
import { expect } from 'vitest';
import { catalogOf, findTool } from '../catalog.ts';
import { compileAgentManifest } from '../compile/compile-agent-manifest.ts';
import { importManifest } from './import-manifest.ts';
import type { Imported, ImportFormat, ImportOptions, ImportSource } from './imported.ts';

type Taken = Extract<Imported, { ok: true }>;

/** Imports files from a map of paths to texts. Fails if there is a fault. */
export function imported(
  format: ImportFormat | null,
  files: Readonly<Record<string, string>>,
  options: ImportOptions = {},
): Taken {
  const sources = sourcesOf(files);
  const result = importManifest(sources, format, options);
  if (!result.ok) throw new Error(JSON.stringify(result.faults, null, 1));
  const compiled = compileAgentManifest(result.manifest, { defaultModel: 'gpt-4o' });
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.refusals));
  if (options.tools !== 'all') expect(allowedButNotNamed(result, sources)).toEqual([]);
  return result;
}

/** The aliases of Copilot's tools. */
const ALIASES: Readonly<Record<string, RegExp>> = {
  execute: /shell|bash/i,
  search: /grep|glob/i,
  edit: /write|edit/i,
};

/**
 * Returns the tools that the compiled manifest allows an agent, but that no file names. In a name, everything except
 * letters, digits, `_`, `.` and `-` counts as a dash.
 */
export function allowedButNotNamed(
  { manifest }: Pick<Taken, 'manifest'>,
  sources: readonly ImportSource[],
): string[] {
  const compiled = compileAgentManifest(manifest, { defaultModel: 'gpt-4o' });
  if (!compiled.ok) return [];
  const text = sources.map((source) => source.text).join('\n');
  const plain = plainName(text).toLowerCase();
  const isNamed = (tool: string) => {
    const [, fragment] = compiled.tools[tool]?.uri?.split('#') ?? [];
    const name = plainName((fragment ?? tool).replace(/-\d+$/, ''));
    return plain.includes(name.toLowerCase()) || ALIASES[name]?.test(text) === true;
  };
  return compiled.policies
    .flatMap(({ allowedTools = [] }) => allowedTools)
    .filter((tool) => !tool.startsWith('step.') && !isNamed(tool));
}

function plainName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_.-]+/g, '-');
}

/** Imports files that must have a fault. Returns each fault as `code line path`. */
export function faultsOf(
  format: ImportFormat | null,
  files: Readonly<Record<string, string>>,
  options: ImportOptions = {},
): string[] {
  const result = importManifest(sourcesOf(files), format, options);
  if (result.ok) throw new Error(`no fault: ${JSON.stringify(result.manifest)}`);
  return result.faults.map(({ code, line, path }) => `${code} ${line} ${path}`.trim());
}

export function sourcesOf(files: Readonly<Record<string, string>>): ImportSource[] {
  return Object.entries(files).map(([path, text]) => ({ path, text }));
}

/** Returns each warning as `code line path`. */
export function warningsOf({ warnings }: Taken): string[] {
  return warnings.map(({ code, line, path }) => `${code} ${line} ${path}`.trim());
}

export function agentOf({ manifest }: Taken, key: string): AgentDefinition {
  const definition = manifest.definitions?.[key];
  if (definition?.type !== 'agent') throw new Error(`${key} is no agent`);
  return definition;
}

/** Returns the tools of each agent by Mandate's names, each with its risk level. */
export function toolsByAgent({ manifest }: Pick<Taken, 'manifest'>): Record<string, string[]> {
  const catalog = catalogOf(manifest);
  const agents = Object.entries(manifest.definitions ?? {}).flatMap(([key, definition]) => {
    if (definition.type !== 'agent') return [];
    const tools = (definition.tools ?? []).map((written) => {
      const found = findTool(catalog, written);
      if (found.found !== 'ok') throw new Error(`${JSON.stringify(written)} is ${found.found}`);
      return `${found.tool.name} ${found.tool.risk ?? 'unrated'}`;
    });
    return [[key, tools] as const];
  });
  return Object.fromEntries(agents);
}
