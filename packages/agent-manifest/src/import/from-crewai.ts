/**
 * Imports crews of crewAI: `agents.yaml` and `tasks.yaml`. The Python code of a crew can give an agent more tools, but
 * it is not read. So an agent has only the tools that its YAML names.
 */
import { crewSteps } from './crew-steps.ts';
import { ImportFields } from './import-fields.ts';
import { readMap } from './import-file.ts';
import { quoted } from './import-notes.ts';
import type { ImportSource } from './imported.ts';
import { ImportedAgent } from './imported-agent.ts';
import { type ManifestDraft, warnNotNamed } from './manifest-draft.ts';
import { modelNamed } from './model-name.ts';
import { placeholdersIn } from './placeholders.ts';

const NO_COUNTERPART = {
  verbose: 'it changes only what is printed',
  cache: 'a manifest has no field for it',
  memory: 'a manifest has its own settings for memory',
  function_calling_llm: 'an agent has one model here',
  max_execution_time: 'a manifest limits the time of a run: write policy.timeout',
  max_retry_limit: 'a manifest limits the retries of every step: write policy.max_retries',
  respect_context_window: 'the runner decides it',
  allow_code_execution: 'no code is run for an agent',
  code_execution_mode: 'no code is run for an agent',
  multimodal: 'a manifest has no field for it',
  knowledge_sources: 'name the files in the field knowledge of the agent',
  embedder: 'a manifest has no field for it',
  use_system_prompt: 'the runner makes the prompt',
  system_template: 'the runner makes the prompt',
  prompt_template: 'the runner makes the prompt',
  response_template: 'the runner makes the prompt',
  step_callback: 'code of a file is never run',
  guardrail: 'write a policy',
  inject_date: 'a manifest has no field for it',
  date_format: 'a manifest has no field for it',
  reasoning: 'a manifest has no field for it',
  max_reasoning_attempts: 'a manifest has no field for it',
} as const;

export function fromCrewAi(sources: readonly ImportSource[], draft: ManifestDraft): void {
  const tasks: ImportFields[] = [];
  const agents = new Map<string, ImportedAgent>();
  for (const source of sources) {
    const file = readMap(source, 'crew', draft.notes);
    if (file === null) continue;
    const root = new ImportFields(file.value, [], { file, notes: draft.notes });
    for (const [name, fields] of root.members()) {
      if (isTask(fields)) tasks.push(fields);
      else if (agents.has(name))
        draft.notes.fault('VALUE_WRONG', file, fields.path, `${quoted(name)} is the name of two agents`);
      else agents.set(name, importAgent(draft, name, fields));
    }
  }
  draft.name ??= 'crew';
  crewSteps(draft, tasks, agents);
}

function isTask({ value }: ImportFields): boolean {
  return (
    Object.hasOwn(value, 'expected_output') ||
    (Object.hasOwn(value, 'description') && !Object.hasOwn(value, 'role'))
  );
}

function importAgent(draft: ManifestDraft, name: string, fields: ImportFields): ImportedAgent {
  const { file, notes } = fields;
  const role = fields.text('role');
  const goal = fields.text('goal');
  const backstory = fields.text('backstory');
  const model = modelNamed(modelOf(fields), fields, 'llm');
  for (const [field, text] of [
    ['role', role],
    ['goal', goal],
  ] as const) {
    if (text === null)
      notes.warn('FIELD_DEFAULTED', file, fields.path, `there is no ${field}, so it is the name`);
  }
  const agent = new ImportedAgent(draft.keyFor(name, 'agent'), {
    name,
    role: role ?? name,
    goal: goal ?? name,
    ...(backstory === null ? {} : { backstory }),
    ...(model === null ? {} : { model }),
  });
  draft.agents.push(agent);
  const [placeholder] = placeholdersIn(`${role} ${goal} ${backstory}`);
  if (placeholder !== undefined) {
    const message = `{${placeholder}} stays as it is in role, goal and backstory. The steps are given its value`;
    notes.warn('FIELD_NOT_TAKEN', file, fields.path, message);
  }
  agent.maxTurns = fields.count('max_iter', 1);
  const calls = fields.count('max_rpm', 1);
  if (calls !== null) agent.rateLimit = { maxCalls: Math.min(calls, MOST_CALLS), windowMs: 60_000 };
  if (fields.flag('allow_delegation') === true) {
    const message =
      'allow_delegation lets the agent start other agents: write a workflow with a step for each';
    notes.warn('DELEGATION_NOT_TAKEN', file, fields.at('allow_delegation'), message);
  }
  allowTools(draft, agent, fields);
  fields.leaveOut(NO_COUNTERPART);
  fields.end();
  return agent;
}

const MOST_CALLS = 100_000;

/** `llm` is the name of a model, or a map with its settings. */
function modelOf(fields: ImportFields): string | null {
  if (typeof fields.any('llm') === 'string') return fields.text('llm');
  const settings = fields.map('llm');
  const model = settings?.text('model') ?? null;
  settings?.end();
  return model;
}

function allowTools(draft: ManifestDraft, agent: ImportedAgent, fields: ImportFields): void {
  const names = fields.texts('tools');
  const path = fields.at('tools');
  if (names === null) {
    warnNotNamed(
      draft,
      { place: fields.file, path, means: 'the tools of the agent stand in Python, which is not read' },
      [],
    );
    return;
  }
  for (const [at, name] of names.entries()) {
    const parameters = { type: 'object' };
    const description = `The tool ${name} of the crew.`;
    const mention = { place: fields.file, path: [...path, at] };
    agent.allow(draft.tools.placeInline({ type: 'inline', name, description, parameters }, mention));
  }
}
