/** Imports agents of docker cagent: a YAML file with agents, their toolsets, models and permissions. */
import { type ModelOfFile, readModels } from './cagent-models.ts';
import { applyPermissions } from './cagent-permissions.ts';
import { CagentToolsets } from './cagent-toolsets.ts';
import { ImportFields } from './import-fields.ts';
import { readMap } from './import-file.ts';
import { quoted } from './import-notes.ts';
import type { ImportSource } from './imported.ts';
import { ImportedAgent } from './imported-agent.ts';
import type { Json } from './json-value.ts';
import type { ManifestDraft } from './manifest-draft.ts';
import { modelNamed } from './model-name.ts';
import { nameOfFile } from './names.ts';
import { objectSchemaOf } from './schemas-of-file.ts';

const NO_COUNTERPART = {
  welcome_message: 'it changes only what is shown',
  commands: 'a manifest has no prompts for people',
  add_date: 'a manifest has no field for it',
  add_environment_info: 'a manifest has no field for it',
  add_prompt_files: 'name the files in the field knowledge of the agent',
  add_description_parameter: 'a manifest has no field for it',
  num_history_items: 'a manifest has its own settings for memory',
  code_mode_tools: 'tools are called one by one',
  fallback: 'an agent has one model here',
  hooks: 'a command of a file is never run',
  skills: 'import the skills by hand',
  rag: 'name the files in the field knowledge of the agent',
} as const;

export function fromCagent(sources: readonly ImportSource[], draft: ManifestDraft): void {
  for (const source of sources) {
    const file = readMap(source, 'file of agents', draft.notes);
    if (file === null) continue;
    const root = new ImportFields(file.value, [], { file, notes: draft.notes });
    draft.name ??= nameOfFile(source.path) || 'cagent';
    const models = readModels(root);
    const toolsets = new CagentToolsets(draft, root.map('mcps'));
    const agents = root
      .maps('agents')
      .map(([name, fields]) => importAgent(draft, name, fields, models, toolsets));
    toolsets.end();
    if (agents.length === 0 && !draft.notes.hasFaults)
      draft.notes.fault('FIELD_MISSING', file, [], 'must have the field agents with an agent');
    const permissions = root.map('permissions');
    if (permissions !== null) applyPermissions(permissions, agents);
    const metadata = root.map('metadata');
    draft.version ??= metadata?.text('version') ?? null;
    root.any('version');
    root.leaveOut({
      providers: 'the runner has its own settings for providers',
      rag: 'name the files in the field knowledge of the agents',
    });
    root.end();
  }
}

function importAgent(
  draft: ManifestDraft,
  name: string,
  fields: ImportFields,
  models: ReadonlyMap<string, ModelOfFile>,
  toolsets: CagentToolsets,
): ImportedAgent {
  const { file, notes } = fields;
  const description = fields.text('description');
  const instruction = fields.text('instruction');
  if (description === null)
    notes.warn('FIELD_DEFAULTED', file, fields.path, 'there is no description, so the goal is the name');
  const { model: named, provider } = modelOf(fields, models);
  const model = modelNamed(named, fields, 'model');
  const outputs = outputsOf(fields);
  const agent = new ImportedAgent(draft.keyFor(name, 'agent'), {
    name,
    role: name,
    goal: description ?? name,
    ...(instruction === null ? {} : { backstory: instruction }),
    ...(model === null ? {} : { model }),
    ...(outputs === null ? {} : { interface: { outputs } }),
  });
  draft.agents.push(agent);
  if (provider !== null) agent.allowedProviders = [provider];
  agent.maxTurns = fields.count('max_iterations', 1);
  for (const toolset of fields.items('toolsets')) toolsets.allow(agent, toolset);
  for (const field of ['sub_agents', 'handoffs']) {
    const names = fields.list(field) ?? [];
    if (names.length === 0) continue;
    const message = `${field} lets the agent start other agents: write a workflow with a step for each`;
    notes.warn('DELEGATION_NOT_TAKEN', file, fields.at(field), message);
  }
  fields.leaveOut(NO_COUNTERPART);
  fields.end();
  return agent;
}

/**
 * `model` is the name of a model in the file, or `provider/model`. If it lists several with commas, cagent uses them in
 * turn.
 */
function modelOf(fields: ImportFields, models: ReadonlyMap<string, ModelOfFile>): ModelOfFile {
  const [first = '', ...others] = (fields.text('model') ?? '').split(',').map((part) => part.trim());
  if (others.length > 0) {
    const message = `an agent has one model here, so these are not taken over: ${quoted(others.join(', '))}`;
    fields.notes.warn('FIELD_NOT_TAKEN', fields.file, fields.at('model'), message);
  }
  const known = models.get(first);
  if (known !== undefined) return known;
  const slash = first.indexOf('/');
  if (slash === -1) return { model: first === '' || first === 'auto' ? null : first, provider: null };
  return { model: first.slice(slash + 1) || null, provider: first.slice(0, slash) || null };
}

function outputsOf(fields: ImportFields): Record<string, Json> | null {
  const output = fields.map('structured_output');
  if (output === null) return null;
  const schema = objectSchemaOf(output, 'schema');
  for (const field of ['name', 'description', 'strict']) output.any(field);
  output.end();
  return schema;
}
