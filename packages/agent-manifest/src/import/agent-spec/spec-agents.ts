/** Turns the agents of an Open Agent Spec document into definitions. */
import { quoted } from '../import-notes.ts';
import { ImportedAgent } from '../imported-agent.ts';
import type { ManifestDraft } from '../manifest-draft.ts';
import { modelNamed } from '../model-name.ts';
import type { Component, SpecComponents } from './components.ts';
import { propertiesOf, schemasByName } from './properties.ts';
import type { SpecTools } from './spec-tools.ts';

const OF_A_MODEL = {
  url: 'the runner has its own settings for providers',
  api_key: 'the runner has its own settings for providers',
  api_type: 'the runner has its own settings for providers',
  api_provider: 'the runner has its own settings for providers',
  provider: 'the runner has its own settings for providers',
  provider_family: 'the runner has its own settings for providers',
  compartment_id: 'the runner has its own settings for providers',
  serving_mode: 'the runner has its own settings for providers',
  client_config: 'the runner has its own settings for providers',
  conversation_store_id: 'the runner has its own settings for providers',
  key_file: 'the runner has its own settings for providers',
  cert_file: 'the runner has its own settings for providers',
  ca_file: 'the runner has its own settings for providers',
  default_generation_parameters: 'a manifest has no field for it',
  retry_policy: 'a manifest limits the retries of every step',
} as const;

export class SpecAgents {
  readonly #draft: ManifestDraft;
  readonly #components: SpecComponents;
  readonly #tools: SpecTools;
  readonly #made = new Map<Component, ImportedAgent>();
  readonly #begun = new Set<Component>();

  constructor(draft: ManifestDraft, components: SpecComponents, tools: SpecTools) {
    this.#draft = draft;
    this.#components = components;
    this.#tools = tools;
  }

  /** Returns the agent of a component, and adds all agents that the component contains. Null after a fault. */
  add(component: Component): ImportedAgent | null {
    const { fields, type } = component;
    const made = this.#made.get(component);
    if (made !== undefined) return made;
    if (this.#begun.has(component)) {
      fields.notes.fault(
        'REFERENCE_CYCLE',
        fields.file,
        fields.path,
        'this group of agents is within itself',
      );
      return null;
    }
    this.#begun.add(component);
    switch (type) {
      case 'Agent':
        return this.#agent(component, component);
      case 'SpecializedAgent':
        return this.#specialized(component);
      case 'Swarm':
        return this.#group(component, 'first_agent');
      case 'ManagerWorkers':
        return this.#group(component, 'group_manager');
      default:
        fields.notes.fault(
          'NOT_SUPPORTED',
          fields.file,
          fields.path,
          `a component of type ${quoted(type)} cannot be imported as an agent`,
        );
        return null;
    }
  }

  /** @param whole the component from which the agent is made: the agent itself, or a specialized agent */
  #agent(component: Component, whole: Component): ImportedAgent {
    const { fields } = component;
    const { name } = whole;
    const prompt = fields.text('system_prompt');
    const description = fields.text('description');
    const model = this.modelOf(component);
    const inputs = schemasByName(propertiesOf(fields, 'inputs'));
    const outputs = schemasByName(propertiesOf(fields, 'outputs'));
    const agent = new ImportedAgent(this.#draft.keyFor(name, 'agent'), {
      name,
      role: name,
      goal: description ?? name,
      ...(prompt === null ? {} : { backstory: prompt }),
      ...(model === null ? {} : { model }),
      ...(inputs === null && outputs === null
        ? {}
        : {
            interface: { ...(inputs === null ? {} : { inputs }), ...(outputs === null ? {} : { outputs }) },
          }),
    });
    this.#made.set(whole, agent);
    this.#draft.agents.push(agent);
    this.#tools.allowAll(agent, component);
    this.#askPeople(component, agent);
    fields.leaveOut({ transforms: 'a manifest has its own settings for memory' });
    fields.end();
    return agent;
  }

  /** `human_in_the_loop` lets a program decide when a person is asked. Its default is true. */
  #askPeople({ fields }: Component, agent: ImportedAgent): void {
    const isAsked = fields.flag('human_in_the_loop');
    if (this.#draft.options.humanInTheLoop === true) {
      if (isAsked !== false) for (const { tool } of agent.tools) agent.confirm(tool);
    } else {
      fields.leaveOut({
        human_in_the_loop:
          'it does not say when a person is asked. --human-in-the-loop asks before every call of a tool',
      });
    }
  }

  /** A specialized agent becomes a separate agent, so that the agent on which it is based gets no additional tools. */
  #specialized(component: Component): ImportedAgent | null {
    const { fields } = component;
    const base = this.#components.in(component, 'agent');
    const more = this.#components.in(component, 'agent_specialization_parameters');
    if (base?.type !== 'Agent') {
      fields.notes.fault(
        'NOT_SUPPORTED',
        fields.file,
        fields.at('agent'),
        'must be a component of type Agent',
      );
      return null;
    }
    const agent = this.#agent(base, component);
    const instructions = more?.fields.text('additional_instructions') ?? null;
    if (instructions !== null) agent.addInstructions(instructions);
    if (more !== null) {
      this.#tools.allowAll(agent, more, 'additional_tools');
      this.#askPeople(more, agent);
      endOf(more);
    }
    endOf(component);
    return agent;
  }

  /**
   * A group of agents: a swarm, or a manager with workers. In the group, agents start each other. In a manifest, only
   * steps start agents.
   */
  #group(component: Component, first: string): ImportedAgent | null {
    const { fields } = component;
    const relations = (fields.list('relationships') ?? []).flatMap((pair, at) =>
      (Array.isArray(pair) ? pair : [pair]).map((value, side) =>
        this.#components.of(value, ['relationships', at, side], component),
      ),
    );
    const main = this.#components.in(component, first);
    const members = new Set([main, ...this.#components.listed(component, 'workers'), ...relations]);
    for (const member of members) if (member !== null && !this.#made.has(member)) this.add(member);
    const message = 'the agents start each other: write a workflow with a step for each';
    fields.notes.warn('DELEGATION_NOT_TAKEN', fields.file, fields.path, message);
    fields.any('handoff');
    endOf(component);
    return main === null ? null : (this.#made.get(main) ?? null);
  }

  /** Returns the name of the model. Null if the component has none. */
  modelOf(component: Component): string | null {
    const config = this.#components.in(component, 'llm_config');
    if (config === null) return null;
    const { fields } = config;
    const model = modelNamed(fields.text('model_id'), fields, 'model_id');
    const key = fields.any('api_key');
    if (typeof key === 'string' && key !== '')
      fields.notes.warn(
        'SECRET_IN_MANIFEST',
        fields.file,
        fields.at('api_key'),
        'the key is left out: set it in the settings of the runner',
      );
    const { api_key: _, ...rest } = OF_A_MODEL;
    fields.leaveOut(rest);
    endOf(config);
    return model;
  }
}

/** Warns of the unknown fields of a component without inputs and outputs. */
function endOf({ fields }: Component): void {
  for (const field of ['description', 'inputs', 'outputs']) fields.any(field);
  fields.end();
}
