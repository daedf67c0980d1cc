/** Imports agents of GitHub Copilot: `*.agent.md`, Markdown with frontmatter, one agent each. */
import { AllowedTools, type Client } from './allowed-tools.ts';
import { COPILOT_TOOLS } from './client-tools.ts';
import { declaredServers } from './declared-servers.ts';
import type { ImportFields } from './import-fields.ts';
import { quoted } from './import-notes.ts';
import type { ImportSource } from './imported.ts';
import type { ImportedAgent } from './imported-agent.ts';
import type { ManifestDraft } from './manifest-draft.ts';
import { importMarkdownAgents } from './markdown-agents.ts';
import type { Mention } from './tool-shelf.ts';

const CLIENT: Client = { title: 'GitHub Copilot', server: 'copilot', tools: COPILOT_TOOLS };

/** Aliases of Copilot's tools, in lower case. Copilot accepts them in any letter case. */
const ALIASES: Readonly<Record<string, string>> = {
  shell: 'execute',
  bash: 'execute',
  powershell: 'execute',
  notebookread: 'read',
  multiedit: 'edit',
  write: 'edit',
  notebookedit: 'edit',
  grep: 'search',
  glob: 'search',
  task: 'agent',
  'custom-agent': 'agent',
  websearch: 'web',
  webfetch: 'web',
  todowrite: 'todo',
};
const PRIMARY: ReadonlySet<string> = new Set(['execute', 'read', 'edit', 'search', 'agent', 'web', 'todo']);

/** The sets of Copilot's own tools: `edit/editFiles` is the tool `editFiles` of the set `edit`. */
const SETS: ReadonlySet<string> = new Set([...PRIMARY, 'vscode', 'runCommands', 'runTasks', 'runNotebooks']);

const STARTS_AGENTS: ReadonlySet<string> = new Set(['agent', 'runSubagent']);

const NO_COUNTERPART = {
  'argument-hint': 'it changes only how the agent is shown',
  'disable-model-invocation': 'an agent of a manifest is started by a step only',
  'user-invocable': 'an agent of a manifest is started by a step only',
  infer: 'an agent of a manifest is started by a step only',
  hidden: 'it changes only how the agent is shown',
  mode: 'a manifest has no field for it',
  target: 'a manifest runs on Mandate',
  agents: 'write a workflow with a step for each agent',
  agent: 'write a workflow with a step for each agent',
  handoffs: 'write a workflow with a step for each agent',
  hooks: 'a command of a file is never run',
  metadata: 'a manifest has its own metadata',
} as const;

export function fromCopilotAgents(sources: readonly ImportSource[], draft: ManifestDraft): void {
  importMarkdownAgents(sources, draft, {
    modelOf,
    importFields: (agent, fields) => allowTools(draft, agent, fields),
    noCounterpart: NO_COUNTERPART,
  });
}

/** Returns the model. For a list, returns the first model and warns of the others. */
function modelOf(fields: ImportFields): string | null {
  if (!Array.isArray(fields.any('model'))) return fields.text('model');
  const [first, ...others] = fields.texts('model') ?? [];
  if (others.length > 0) {
    const message = `an agent has one model here, so these are not taken over: ${quoted(others.join(', '))}`;
    fields.notes.warn('FIELD_NOT_TAKEN', fields.file, fields.at('model'), message);
  }
  return first ?? null;
}

function allowTools(draft: ManifestDraft, agent: ImportedAgent, fields: ImportFields): void {
  const allowed = new AllowedTools(draft, agent, CLIENT, declaredServers(draft, fields, 'mcp-servers'));
  const path = fields.at('tools');
  const value = fields.any('tools');
  if (value === undefined) {
    allowed.allowEverything('a file without tools means every tool', { place: fields.file, path });
    return;
  }
  const listed = typeof value === 'string' ? value.split(',') : (fields.texts('tools') ?? []);
  for (const [at, item] of listed.entries()) {
    const mention = { place: fields.file, path: typeof value === 'string' ? path : [...path, at] };
    if (item.trim() !== '') allowTool(allowed, item.trim(), mention);
  }
}

function allowTool(allowed: AllowedTools, written: string, mention: Mention): void {
  const name = aliased(written);
  const slash = name.lastIndexOf('/');
  const set = slash === -1 ? null : name.slice(0, slash);
  const tool = name.slice(slash + 1);
  if (name === '*') allowed.allowEverything('* means every tool', mention);
  else if (set === null && allowed.knowsServer(written))
    allowed.allowEveryOfServer(written, written, mention);
  else if (set !== null && !SETS.has(set)) {
    if (tool === '*') allowed.allowEveryOfServer(set, written, mention);
    else allowed.allowOfServer(set, tool, mention);
  } else if (STARTS_AGENTS.has(tool)) {
    const message = `${quoted(written)} starts other agents: write a workflow with a step for each`;
    allowed.warn('DELEGATION_NOT_TAKEN', mention, message);
  } else {
    allowed.allow(tool === '*' && set !== null ? set : tool, mention);
  }
}

/** Returns the name of a tool or of a set for an alias: `execute` for `Bash`. */
function aliased(written: string): string {
  const lower = written.toLowerCase();
  if (PRIMARY.has(lower)) return lower;
  return Object.hasOwn(ALIASES, lower) ? (ALIASES[lower] ?? written) : written;
}
