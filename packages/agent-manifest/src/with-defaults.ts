/** Fills in the defaults of a manifest or a graph recipe, so that a reader does not have to know the defaults. */
import type {
  AgentDefinition,
  AgentManifest,
  Definition,
  GraphRecipe,
  PackDefinition,
  SkillDefinition,
  Step,
  ToolDefinition,
} from '@mandate/schemas/agent-manifest';

export function withDefaults(document: AgentManifest): AgentManifest;
export function withDefaults(document: GraphRecipe): GraphRecipe;
export function withDefaults(document: AgentManifest | GraphRecipe): AgentManifest | GraphRecipe;
export function withDefaults(document: AgentManifest | GraphRecipe): AgentManifest | GraphRecipe {
  return 'topology' in document ? graphWithDefaults(document) : manifestWithDefaults(document);
}

function manifestWithDefaults(manifest: AgentManifest): AgentManifest {
  const { definitions, workflow } = manifest;
  return {
    ...manifest,
    metadata: withVersion(manifest.metadata),
    policy: { max_retries: 3, human_in_the_loop: false, ...manifest.policy },
    ...(definitions !== undefined && { definitions: mapped(definitions, definitionWithDefaults) }),
    ...(workflow !== undefined && {
      workflow: { ...workflow, steps: mapped(workflow.steps, stepWithDefaults) },
    }),
  };
}

function graphWithDefaults(recipe: GraphRecipe): GraphRecipe {
  const { state } = recipe;
  return {
    ...recipe,
    metadata: withVersion(recipe.metadata),
    ...(state !== undefined && { state: { persistence: 'ephemeral', ...state } }),
    policy: { max_retries: 0, execution_mode: 'sequential', ...recipe.policy },
  };
}

function withVersion(metadata: AgentManifest['metadata']): AgentManifest['metadata'] {
  return { version: '0.1.0', ...metadata };
}

function definitionWithDefaults(key: string, definition: Definition): Definition {
  switch (definition.type) {
    case 'tool':
      return toolWithDefaults(key, definition);
    case 'agent':
      return agentWithDefaults(key, definition);
    case 'skill':
      return skillWithDefaults(key, definition);
    case 'tool_pack':
      return packWithDefaults(key, definition);
    default:
      return definition;
  }
}

function toolWithDefaults(key: string, tool: ToolDefinition): ToolDefinition & { id: string } {
  return { ...tool, ...idAndName(key, tool) };
}

function idAndName(
  key: string,
  { id = key, name = id }: { id?: string | undefined; name?: string | undefined },
): { id: string; name: string } {
  return { id, name };
}

function agentWithDefaults(key: string, agent: AgentDefinition): AgentDefinition & { id: string } {
  const { runtime, evaluation, resources, tools } = agent;
  return {
    ...agent,
    ...idAndName(key, agent),
    context_strategy: agent.context_strategy ?? 'hybrid',
    capabilities: {
      type: 'graph',
      delivery_mode: 'request_response',
      history_support: true,
      ...agent.capabilities,
    },
    ...(tools !== undefined && {
      tools: tools.map((tool) => (typeof tool === 'string' ? tool : { type: 'remote' as const, ...tool })),
    }),
    ...(runtime?.memory !== undefined && {
      runtime: { ...runtime, memory: { strategy: 'sliding_window', ...runtime.memory } },
    }),
    ...(evaluation?.grading_rubric !== undefined && {
      evaluation: {
        ...evaluation,
        grading_rubric: evaluation.grading_rubric.map((criterion) => ({ strict: true, ...criterion })),
      },
    }),
    ...(resources?.pricing !== undefined && {
      resources: {
        ...resources,
        pricing: { unit: 'TOKEN_1M', currency: 'USD', fixed_cost_per_request: 0, ...resources.pricing },
      },
    }),
  };
}

function skillWithDefaults(key: string, skill: SkillDefinition): SkillDefinition & { id: string } {
  return { version: '1.0.0', load_strategy: 'lazy', ...skill, ...idAndName(key, skill) };
}

function packWithDefaults(key: string, pack: PackDefinition): PackDefinition {
  const { tools, agents, skills, mcp_servers } = pack;
  return {
    ...pack,
    id: pack.id ?? key,
    metadata: { version: '0.1.0', ...pack.metadata },
    ...(tools !== undefined && { tools: members(tools, toolWithDefaults) }),
    ...(agents !== undefined && { agents: members(agents, agentWithDefaults) }),
    ...(skills !== undefined && { skills: members(skills, skillWithDefaults) }),
    ...(mcp_servers !== undefined && {
      mcp_servers: mcp_servers.map((server) => ({ type: 'mcp_server' as const, ...server })),
    }),
  };
}

function members<Member extends { id: string }, Filled>(
  written: readonly (string | Member)[],
  fill: (id: string, member: Member) => Filled,
): (string | Filled)[] {
  return written.map((member) => (typeof member === 'string' ? member : fill(member.id, member)));
}

function stepWithDefaults(key: string, step: Step): Step {
  return step.type === 'council' ? { strategy: 'consensus', ...step, id: key } : { ...step, id: key };
}

function mapped<Value>(
  map: Readonly<Record<string, Value>>,
  fill: (key: string, value: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fill(key, value)]));
}
