/** Builds the input of an agent's step: the agent, its model, tools and skills, and the calls so far. */
import {
  type AgentTool,
  type Entry,
  estimatedMicros,
  findDefinition,
  findTool,
  type RunState,
  sideSchema,
} from '@mandate/agent-manifest';
import type { Json } from '@mandate/schemas';
import type { CallEvent } from '../agent-step/call-event.ts';
import type { AgentStep, DeclaredOutputs, StepSkill, StepTool } from '../agent-step/step.ts';
import type { LoadedManifest } from '../manifests/plans.ts';

export type AskedAgent = {
  /** The agent by the name in the step, or the name of a model. */
  reference: string;
  /** The action of the step: the ids of its calls begin with it. */
  actionId: string;
  inputs: Json;
  systemPrompt?: string | undefined;
  temporarySkills?: readonly string[] | undefined;
  /** The required form of the answer. Absent: the form that the agent declares. */
  outputs?: DeclaredOutputs | undefined;
};

export function stepOfAgent(
  loaded: LoadedManifest,
  { current }: Pick<RunState, 'current'>,
  asked: AskedAgent,
): AgentStep {
  const { catalog, compiled, id: manifestId } = loaded;
  const { reference, actionId, inputs } = asked;
  const found = findDefinition(catalog, 'agent', reference);
  const entry = found.found === 'ok' ? found.entry : null;
  const agentId = `${manifestId}.${entry === null ? reference : (entry.key ?? entry.id)}`;
  const definition = entry?.definition;
  const declared = definition?.interface?.outputs;
  const price = compiled.prices[agentId];
  const throttle = compiled.throttle[agentId];
  return {
    actionId,
    agentId,
    prompt: {
      role: definition?.role ?? '',
      goal: definition?.goal ?? '',
      backstory: definition?.backstory,
      systemPrompt: asked.systemPrompt,
    },
    skills: skillsOf(loaded, entry, asked.temporarySkills ?? []),
    contextStrategy: definition?.context_strategy ?? 'hybrid',
    tools: entry === null ? [] : toolsOf(loaded, entry),
    model: {
      name: modelOf(loaded, entry, reference),
      provider: definition?.resources?.provider ?? null,
      estimate: price === undefined ? null : (call) => estimatedMicros(price, call),
      throttle: {
        contextWindow: throttle?.contextWindow,
        maxOutputTokens: throttle?.maxOutputTokens,
        tokensPerMinute: throttle?.tokensPerMinute,
      },
    },
    inputs,
    outputs: asked.outputs ?? (declared === undefined ? null : declaredOutputs(declared)),
    historySupport: definition?.capabilities?.history_support ?? true,
    history: historyOf(current?.calls ?? [], agentId),
  };
}

function modelOf({ defaultModel }: LoadedManifest, entry: Entry<'agent'> | null, reference: string): string {
  if (entry === null) return reference;
  const { model, resources } = entry.definition;
  return model ?? resources?.model_id ?? defaultModel ?? '';
}

function declaredOutputs(written: Readonly<Record<string, unknown>>): DeclaredOutputs | null {
  const { schema, members, faultOf } = sideSchema(written, 'all');
  if (Object.keys(members).length === 0) return null;
  return { schema: schema as DeclaredOutputs['schema'], faultOf };
}

function toolsOf({ catalog }: LoadedManifest, { definition }: Entry<'agent'>): StepTool[] {
  return (definition.tools ?? []).flatMap((written) => {
    const found = findTool(catalog, written);
    return found.found === 'ok' ? [stepTool(found.tool)] : [];
  });
}

function stepTool({ name, inline, entry, uri, risk, hash }: AgentTool): StepTool {
  if (inline !== null) {
    const parameters = inline.parameters as Extract<StepTool, { kind: 'inline' }>['parameters'];
    return { kind: 'inline', name, description: inline.description, parameters, hash };
  }
  return { kind: 'server', name, id: entry?.id ?? null, uri: uri ?? '', risk, hash };
}

/** Returns the skills of the step. Files of knowledge are loaded in the same way as skills. */
function skillsOf(
  loaded: LoadedManifest,
  entry: Entry<'agent'> | null,
  temporary: readonly string[],
): StepSkill[] {
  const { skills = [], knowledge = [] } = entry?.definition ?? {};
  const own = skills.filter((name) => !temporary.includes(name));
  return [
    ...own.flatMap((name) => skillOf(loaded, name, false)),
    ...temporary.flatMap((name) => skillOf(loaded, name, true)),
    ...knowledge.flatMap((name) => knowledgeOf(loaded, name)),
  ];
}

/** Knowledge that is not a file of the manifest, but an address or an id, is not loaded. */
function knowledgeOf({ files }: LoadedManifest, name: string): StepSkill[] {
  const instructions = Object.hasOwn(files, name) ? files[name] : undefined;
  if (instructions === undefined) return [];
  const description = 'A file with knowledge for this agent.';
  return [{ name, description, instructions, loadStrategy: 'lazy', isTemporary: false }];
}

function skillOf({ catalog, files }: LoadedManifest, reference: string, isTemporary: boolean): StepSkill[] {
  const found = findDefinition(catalog, 'skill', reference);
  if (found.found !== 'ok') return [];
  const { id, definition } = found.entry;
  const { name, description, trigger_intent, instructions, instructions_uri, load_strategy } = definition;
  const file = instructions_uri === undefined ? undefined : files[instructions_uri];
  return [
    {
      name: name ?? id,
      description,
      triggerIntent: trigger_intent,
      instructions: instructions ?? file ?? '',
      loadStrategy: load_strategy ?? 'lazy',
      isTemporary,
    },
  ];
}

/** Returns the calls of one agent in this visit, in the form in which its step reads them. */
function historyOf(calls: NonNullable<RunState['current']>['calls'], agentId: string): CallEvent[] {
  return calls
    .filter((call) => call.agentId === agentId)
    .map((call): CallEvent => {
      if (call.event === 'call.begun') {
        const { event, actionId } = call;
        return { event, actionId, agentId, call: call.call };
      }
      if (call.event === 'call.resolved' || call.event === 'call.retried') return { ...call };
      const { event, actionId, actionAttempt: attempt, answer, outcome } = call;
      // The log was already checked when it was read. The types differ only in optional fields.
      const checked = { answer, outcome } as Pick<Completed, 'answer' | 'outcome'>;
      return { event, actionId, agentId, attempt, ...checked };
    });
}

type Completed = Extract<CallEvent, { event: 'call.completed' }>;
