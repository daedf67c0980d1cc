/** Imports agents that are Markdown files with frontmatter, as in Claude Code and GitHub Copilot: one agent a file. */
import { ImportFields } from './import-fields.ts';
import { readMarkdown } from './import-file.ts';
import type { ImportSource } from './imported.ts';
import { ImportedAgent } from './imported-agent.ts';
import type { ManifestDraft } from './manifest-draft.ts';
import { modelNamed } from './model-name.ts';
import { nameOfFile } from './names.ts';

type MarkdownFormat = {
  /** Returns the model that the fields name. Null: none. */
  modelOf(fields: ImportFields): string | null;
  /** Reads the other fields. */
  importFields(agent: ImportedAgent, fields: ImportFields): void;
  /** The fields that a manifest cannot express, each with the reason. */
  noCounterpart: Readonly<Record<string, string>>;
};

export function importMarkdownAgents(
  sources: readonly ImportSource[],
  draft: ManifestDraft,
  format: MarkdownFormat,
): void {
  for (const source of sources) importAgent(source, draft, format);
  const [only, second] = draft.agents;
  draft.name ??= (second === undefined ? only?.definition.name : null) ?? 'agents';
}

function importAgent(source: ImportSource, draft: ManifestDraft, format: MarkdownFormat): void {
  const { notes } = draft;
  const file = readMarkdown(source, notes);
  if (file === null) return;
  const fields = new ImportFields(file.value, [], { file, notes });
  const name = fields.text('name') ?? (nameOfFile(source.path) || 'agent');
  const description = fields.text('description');
  if (description === null)
    notes.warn('FIELD_DEFAULTED', file, ['description'], 'there is no description, so the goal is the name');
  const model = modelNamed(format.modelOf(fields), fields, 'model');
  const agent = new ImportedAgent(draft.keyFor(name, 'agent'), {
    name,
    role: name,
    goal: description ?? name,
    ...(file.body === '' ? {} : { backstory: file.body }),
    ...(model === null ? {} : { model }),
  });
  draft.agents.push(agent);
  format.importFields(agent, fields);
  fields.leaveOut(format.noCounterpart);
  fields.end();
}
