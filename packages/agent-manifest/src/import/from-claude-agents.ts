/** Imports agents of Claude Code: Markdown files with frontmatter, one agent each. */
import { AllowedTools, type Client } from './allowed-tools.ts';
import { type ArgumentRule, allowedBy, notDeniedBy } from './claude-rules.ts';
import { serverTool, type WrittenTool, writtenTools } from './claude-tools.ts';
import { CLAUDE_CODE_TOOLS } from './client-tools.ts';
import { declaredServers } from './declared-servers.ts';
import type { ImportFields } from './import-fields.ts';
import { quoted } from './import-notes.ts';
import type { ImportSource } from './imported.ts';
import type { ImportedAgent } from './imported-agent.ts';
import type { ManifestDraft } from './manifest-draft.ts';
import { importMarkdownAgents } from './markdown-agents.ts';
import { oneOf } from './tool-rules.ts';
import type { Mention, PlacedTool } from './tool-shelf.ts';

const CLIENT: Client = { title: 'Claude Code', server: 'claude-code', tools: CLAUDE_CODE_TOOLS };

/** The words that stand for a list of all tools. */
const EVERY_TOOL: ReadonlySet<string> = new Set(['*', 'all', 'All']);
const STARTS_AGENTS: ReadonlySet<string> = new Set(['Task', 'Agent']);

const NO_COUNTERPART = {
  color: 'it changes only how the agent is shown',
  hooks: 'a command of a file is never run',
  skills: 'import the skills by hand',
  memory: 'a manifest has its own settings for memory',
  background: 'a step of a workflow says when an agent runs',
  effort: 'a manifest has no field for it',
  isolation: 'the runner decides where tools run',
  initialPrompt: 'a step of a workflow gives the agent its task',
} as const;

export function fromClaudeAgents(sources: readonly ImportSource[], draft: ManifestDraft): void {
  importMarkdownAgents(sources, draft, {
    modelOf: (fields) => {
      const model = fields.text('model');
      return model === 'inherit' ? null : model;
    },
    importFields(agent, fields) {
      agent.maxTurns = fields.count('maxTurns', 1);
      const allowed = new AllowedTools(draft, agent, CLIENT, declaredServers(draft, fields, 'mcpServers'));
      allowTools(allowed, agent, fields);
      denyTools(draft, agent, fields, allowed);
      applyMode(draft, agent, fields);
    },
    noCounterpart: NO_COUNTERPART,
  });
}

function toolList(fields: ImportFields, name: string): WrittenTool[] | null {
  const value = fields.any(name);
  if (value === undefined) return null;
  if (typeof value === 'string') return value.trim() === '' ? null : writtenTools(value);
  const list = fields.texts(name);
  return list === null ? null : writtenTools(list);
}

/** Returns the place of an item of a list, or the place of the whole field if the list is a text. */
function mentionOf(fields: ImportFields, name: string, at: number): Mention {
  const path = fields.at(name);
  return { place: fields.file, path: Array.isArray(fields.any(name)) ? [...path, at] : path };
}

function allowTools(allowed: AllowedTools, agent: ImportedAgent, fields: ImportFields): void {
  const listed = toolList(fields, 'tools');
  if (listed === null) {
    allowed.allowEverything('a file without tools means every tool', {
      place: fields.file,
      path: fields.at('tools'),
    });
    return;
  }
  const rules = new ArgumentRules(agent);
  for (const written of listed) {
    const mention = mentionOf(fields, 'tools', written.at);
    const { name, specifier, text } = written;
    const ofServer = serverTool(name);
    if (EVERY_TOOL.has(name)) allowed.allowEverything(`${quoted(text)} means every tool`, mention);
    else if (STARTS_AGENTS.has(name)) {
      const message = `${quoted(text)} starts other agents: write a workflow with a step for each`;
      allowed.warn('DELEGATION_NOT_TAKEN', mention, message);
    } else if (ofServer !== null && ofServer.tool === null) {
      allowed.allowEveryOfServer(ofServer.server, text, mention);
    } else if (specifier !== null) {
      allowWithin(allowed, rules, { name, specifier, text }, mention);
    } else {
      const server = ofServer?.tool ?? null;
      const placed =
        ofServer === null || server === null
          ? allowed.allow(name, mention)
          : allowed.allowOfServer(ofServer.server, server, mention);
      if (placed !== null) rules.allowWhole(placed);
    }
  }
  rules.apply();
}

/**
 * Allows a tool with the arguments that its brackets name. If the manifest cannot express these arguments, the tool is
 * not allowed.
 */
function allowWithin(
  allowed: AllowedTools,
  rules: ArgumentRules,
  { name, specifier, text }: { name: string; specifier: string; text: string },
  mention: Mention,
): void {
  const rule = allowedBy(name, specifier);
  if (rule === null) {
    const message = `${quoted(text)} limits the arguments in a way that cannot be kept, so it is not allowed`;
    allowed.warn('TOOL_NOT_TAKEN', mention, message);
    return;
  }
  const placed = allowed.allow(name, mention);
  if (placed === null) return;
  const message = `${quoted(text)} becomes a pattern of the argument ${rule.field}. It also refuses text that could start another command or leave the folder`;
  allowed.warn('RULE_STRICTER', mention, message);
  rules.allowWithin(placed, rule);
}

/** The argument rules of one agent. A tool that is also named without brackets has no rule. */
class ArgumentRules {
  readonly #agent: ImportedAgent;
  readonly #whole = new Set<string>();
  readonly #rules = new Map<string, ArgumentRule[]>();

  constructor(agent: ImportedAgent) {
    this.#agent = agent;
  }

  allowWhole({ tool }: PlacedTool): void {
    this.#whole.add(tool);
  }

  allowWithin({ tool }: PlacedTool, rule: ArgumentRule): void {
    const rules = this.#rules.get(tool);
    if (rules === undefined) this.#rules.set(tool, [rule]);
    else rules.push(rule);
  }

  apply(): void {
    for (const [tool, rules] of this.#rules) {
      const [first] = rules;
      if (this.#whole.has(tool) || first === undefined) continue;
      const patterns = rules.map(({ pattern }) => pattern);
      for (const schema of [oneOf(first.field, patterns), ...first.besides])
        this.#agent.checkArguments(tool, schema);
    }
  }
}

function denyTools(
  draft: ManifestDraft,
  agent: ImportedAgent,
  fields: ImportFields,
  allowed: AllowedTools,
): void {
  for (const written of toolList(fields, 'disallowedTools') ?? []) {
    const { name, specifier, text, at } = written;
    const { place, path } = mentionOf(fields, 'disallowedTools', at);
    const ofServer = serverTool(name);
    const schema = specifier === null || specifier === '' ? null : notDeniedBy(name, specifier);
    const tools = deniedTools(draft, agent, name, allowed);
    for (const tool of tools) {
      if (schema === null) agent.deny(tool);
      else agent.checkArguments(tool, schema);
    }
    if (schema !== null || specifier !== null || (ofServer === null && name.includes('*'))) {
      const message =
        schema === null
          ? `what ${quoted(text)} denies cannot be said exactly, so these tools are denied: ${tools.join(', ')}`
          : `${quoted(text)} becomes a pattern that is refused anywhere in the command`;
      draft.notes.warn('RULE_STRICTER', place, path, message);
    }
  }
}

/** Returns Mandate's names of the tools that an entry denies. A pattern denies every tool of the agent. */
function deniedTools(
  draft: ManifestDraft,
  agent: ImportedAgent,
  name: string,
  allowed: AllowedTools,
): readonly string[] {
  const ofServer = serverTool(name);
  if (ofServer?.tool === null) return draft.tools.namesOfServer(allowed.addressOf(ofServer.server));
  if (EVERY_TOOL.has(name) || name.includes('*')) return agent.tools.map(({ tool }) => tool);
  const server = ofServer === null ? CLIENT.server : allowed.addressOf(ofServer.server);
  const tool = draft.tools.nameOf(server, ofServer?.tool ?? name);
  return tool === null ? [] : [tool];
}

/** The modes in which Claude Code asks a person as often as by default, or more often. */
const MODES: ReadonlySet<string> = new Set(['default', 'acceptEdits', 'dontAsk', 'auto', 'manual']);

function applyMode(draft: ManifestDraft, agent: ImportedAgent, fields: ImportFields): void {
  const mode = fields.text('permissionMode');
  const path = fields.at('permissionMode');
  if (mode === null) return;
  if (mode === 'bypassPermissions') {
    const message =
      'bypassPermissions asks for a run without any check, which Mandate does not do: remove the line';
    draft.notes.fault('PERMISSIONS_BYPASSED', fields.file, path, message);
  } else if (mode === 'plan') {
    for (const { tool, risk } of agent.tools) {
      if (risk === 'safe') continue;
      agent.disallow(tool);
      draft.notes.warn(
        'TOOL_NOT_TAKEN',
        fields.file,
        path,
        `${tool} is not allowed, because the mode plan only reads`,
      );
    }
  } else if (MODES.has(mode)) {
    fields.leaveOut({ permissionMode: 'Mandate decides which calls a person confirms' });
  } else {
    draft.notes.fault('VALUE_WRONG', fields.file, path, `${quoted(mode)} is no known mode`);
  }
}
