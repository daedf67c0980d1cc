/** Turns the tasks of a crew into steps, in the order of the file. */
import type { AgentStep } from '@mandate/schemas/agent-manifest';
import type { ImportFields } from './import-fields.ts';
import { quoted } from './import-notes.ts';
import type { ImportedAgent } from './imported-agent.ts';
import type { ManifestDraft } from './manifest-draft.ts';
import { keyFor, UniqueNames } from './names.ts';
import { celText, inputNamed, placeholdersIn, withExpressions } from './placeholders.ts';

const NO_COUNTERPART = {
  async_execution: 'steps run one after the other',
  output_json: 'declare the outputs of the agent: interface.outputs',
  output_pydantic: 'declare the outputs of the agent: interface.outputs',
  output_file: 'no step writes a file',
  create_directory: 'no step writes a file',
  callback: 'code of a file is never run',
  guardrail: 'write a policy',
  guardrails: 'write a policy',
  human_input: 'write policy.human_in_the_loop, or confirm single tools',
  markdown: 'write it into the text of the task',
  config: 'a step has no settings',
  tools: 'only an agent has tools, and the tools of a task stand in Python',
  max_retries: 'a manifest limits the retries of every step: write policy.max_retries',
  guardrail_max_retries: 'write a policy',
} as const;

type Task = { name: string; fields: ImportFields; agent: ImportedAgent };

/**
 * Makes a workflow if each task has an agent. Otherwise Python code says which agent does the other tasks. A workflow
 * without these tasks would do less than the crew, so no workflow is made.
 */
export function crewSteps(
  draft: ManifestDraft,
  tasks: readonly ImportFields[],
  agents: ReadonlyMap<string, ImportedAgent>,
): void {
  const [only, second] = agents.values();
  const single = second === undefined ? only : undefined;
  const withAgents = tasks.flatMap((fields) => taskOf(fields, agents, single) ?? []);
  const steps = new UniqueNames();
  const keys = new Map(withAgents.map(({ name }) => [name, steps.take(keyFor(name, 'task'))]));
  const made = withAgents.map(
    (task) => [keys.get(task.name) ?? task.name, stepOf(draft, task, keys)] as const,
  );
  if (made.length < tasks.length || made.length === 0) return;
  const [first] = made;
  const linked = made.map(([key, step], at) => {
    const next = made[at + 1]?.[0];
    return [key, next === undefined ? step : { ...step, next }] as const;
  });
  const inputs = [...new Set(tasks.flatMap(placeholdersOf))];
  draft.rest = {
    ...(inputs.length === 0
      ? {}
      : { interface: { inputs: Object.fromEntries(inputs.map((name) => [name, { type: 'string' }])) } }),
    workflow: { start: first?.[0] ?? '', steps: Object.fromEntries(linked) },
  };
}

/** @param single the agent of a crew with a single agent. This agent does every task that names no agent */
function taskOf(
  fields: ImportFields,
  agents: ReadonlyMap<string, ImportedAgent>,
  single: ImportedAgent | undefined,
): Task | null {
  const { file, notes, path } = fields;
  const name = String(path.at(-1));
  const written = fields.text('agent');
  const agent = written === null ? single : agents.get(written);
  if (agent !== undefined) return { name, fields, agent };
  if (written === null) {
    const message = `no agent is named for the task ${quoted(name)}, so there is no workflow: name the agent of each task`;
    notes.warn('TASK_NOT_TAKEN', file, path, message);
  } else {
    notes.fault('REFERENCE_MISSING', file, fields.at('agent'), `${quoted(written)} is no agent of the crew`);
  }
  return null;
}

function textsOf(fields: ImportFields): { description: string; expected: string } {
  return { description: fields.text('description') ?? '', expected: fields.text('expected_output') ?? '' };
}

function placeholdersOf(fields: ImportFields): string[] {
  const { description, expected } = textsOf(fields);
  return placeholdersIn(`${description} ${expected}`);
}

/** The task becomes the input of the step. Role, goal and backstory stay in the prompt of the agent, as in crewAI. */
function stepOf(draft: ManifestDraft, { fields, agent }: Task, keys: ReadonlyMap<string, string>): AgentStep {
  const { description, expected } = textsOf(fields);
  const context = (fields.texts('context') ?? []).flatMap((task, at) => {
    const key = keys.get(task);
    if (key !== undefined) return [[task, `\${steps[${celText(key)}].output}`] as const];
    const message = `${quoted(task)} is no task of the crew with an agent`;
    draft.notes.fault('REFERENCE_MISSING', fields.file, [...fields.at('context'), at], message);
    return [];
  });
  fields.leaveOut(NO_COUNTERPART);
  fields.end();
  const inputs = placeholdersOf(fields).map((name) => [name, `\${${inputNamed(name)}}`] as const);
  return {
    type: 'agent',
    agent: agent.key,
    inputs: {
      task: withExpressions(description),
      expected_output: withExpressions(expected),
      ...(inputs.length === 0 ? {} : { inputs: Object.fromEntries(inputs) }),
      ...(context.length === 0 ? {} : { context: Object.fromEntries(context) }),
    },
  };
}
