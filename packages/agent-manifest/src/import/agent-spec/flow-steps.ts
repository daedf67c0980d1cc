/** Turns the flow of an Open Agent Spec document into steps. */
import type { Step } from '@mandate/schemas/agent-manifest';
import { quoted } from '../import-notes.ts';
import { ImportedAgent } from '../imported-agent.ts';
import type { Json } from '../json-value.ts';
import type { ManifestDraft } from '../manifest-draft.ts';
import { keyFor, UniqueNames } from '../names.ts';
import { celText, escaped, filledIn, inputNamed } from '../placeholders.ts';
import type { Component, SpecComponents } from './components.ts';
import { type FlowGraph, type FlowNode, flowGraph } from './flow-graph.ts';
import { schemasByName } from './properties.ts';
import type { SpecAgents } from './spec-agents.ts';
import type { SpecTools } from './spec-tools.ts';

/**
 * The step limit for a run with a loop. The imported file states no limit, and a manifest with a loop and no limit is
 * refused.
 */
const STEPS_OF_A_LOOP = 100;

const PLACEHOLDER = /\{\{\s{0,9}([A-Za-z_][A-Za-z0-9_-]{0,99})\s{0,9}\}\}/g;

type Parts = { draft: ManifestDraft; components: SpecComponents; agents: SpecAgents; tools: SpecTools };

export function importFlow(flow: Component, parts: Parts): void {
  const { draft, components } = parts;
  const { fields } = flow;
  const graph = flowGraph(flow, components);
  fields.any('description');
  for (const field of ['inputs', 'outputs', 'state']) fields.any(field);
  fields.end();
  if (graph === null) return;
  const steps = new FlowSteps(graph, parts);
  const first = graph.start.component.type === 'StartNode' ? graph.start.next.get('next') : graph.start;
  const start = first === undefined ? null : steps.keyOf(first);
  const made = steps.make();
  if (draft.notes.hasFaults) return;
  if (start === null || made.length === 0) {
    draft.notes.fault(
      'NOTHING_TO_IMPORT',
      fields.file,
      fields.path,
      'the flow has no step between its start and its end',
    );
    return;
  }
  const outputs = steps.outputs();
  for (const { component } of graph.nodes) {
    for (const field of ['description', 'branches', 'branch_name']) component.fields.any(field);
    component.fields.end();
  }
  const inputs = schemasByName(graph.start.outputs.length > 0 ? graph.start.outputs : graph.start.inputs);
  draft.rest = {
    ...(inputs === null && outputs === null
      ? {}
      : { interface: { ...(inputs === null ? {} : { inputs }), ...(outputs === null ? {} : { outputs }) } }),
    ...(outputs === null ? {} : { state: { schema: outputs } }),
    ...(hasLoop(graph) ? { policy: { max_steps: STEPS_OF_A_LOOP } } : {}),
    workflow: { start, steps: Object.fromEntries(made) },
  };
}

class FlowSteps {
  readonly #graph: FlowGraph;
  readonly #parts: Parts;
  readonly #keys = new Map<FlowNode, string>();

  constructor(graph: FlowGraph, parts: Parts) {
    this.#graph = graph;
    this.#parts = parts;
    const names = new UniqueNames();
    for (const node of graph.nodes) {
      if (!['StartNode', 'EndNode'].includes(node.component.type))
        this.#keys.set(node, names.take(keyFor(node.component.name, 'step')));
    }
  }

  /** Returns the key of the step of a node. Null for the start and the end, which do not become steps. */
  keyOf(node: FlowNode): string | null {
    return this.#keys.get(node) ?? null;
  }

  make(): (readonly [key: string, step: Step])[] {
    return [...this.#keys].flatMap(([node, key]) => {
      const step = this.#stepOf(node);
      return step === null ? [] : [[key, step] as const];
    });
  }

  #stepOf(node: FlowNode): Step | null {
    const { component } = node;
    const { fields, type } = component;
    switch (type) {
      case 'LlmNode':
        return this.#modelStep(node);
      case 'AgentNode':
        return this.#agentStep(node);
      case 'ToolNode':
        return this.#toolStep(node);
      case 'BranchingNode':
        return this.#switchStep(node);
      default:
        fields.notes.fault(
          'NOT_SUPPORTED',
          fields.file,
          fields.path,
          `a node of type ${quoted(type)} cannot be imported yet`,
        );
        return null;
    }
  }

  /** A call of a model becomes an agent without tools. */
  #modelStep(node: FlowNode): Step {
    const { component } = node;
    const template = component.fields.text('prompt_template') ?? '';
    const model = this.#parts.agents.modelOf(component);
    const agent = this.#agentFor(
      component,
      { goal: component.fields.text('description') ?? component.name, model },
      node,
    );
    return {
      type: 'agent',
      agent: agent.key,
      inputs: { prompt: this.#filled(template, node) },
      ...this.#nextOf(node),
    };
  }

  #agentStep(node: FlowNode): Step | null {
    const { component } = node;
    const inner = this.#parts.components.in(component, 'agent');
    const agent = inner === null ? null : this.#parts.agents.add(inner);
    if (agent === null) return null;
    return { type: 'agent', agent: agent.key, inputs: this.#inputsOf(node), ...this.#nextOf(node) };
  }

  /** A call of a tool becomes an agent with this tool only. A model makes the call. */
  #toolStep(node: FlowNode): Step | null {
    const { component } = node;
    const { fields } = component;
    const tool = this.#parts.components.in(component, 'tool');
    if (tool === null) return null;
    const goal = `Call the tool ${tool.name} once, with the inputs that you are given, and answer with its result.`;
    const agent = this.#agentFor(component, { goal, model: null }, node);
    this.#parts.tools.allow(agent, tool);
    fields.notes.warn(
      'NODE_AS_AGENT',
      fields.file,
      fields.path,
      `${quoted(component.name)} calls a tool by itself. Here an agent with this tool calls it: give the agent a model`,
    );
    return { type: 'agent', agent: agent.key, inputs: this.#inputsOf(node), ...this.#nextOf(node) };
  }

  #switchStep(node: FlowNode): Step {
    const { component, inputs, next } = node;
    const { fields } = component;
    const mapping = Object.entries(fields.map('mapping')?.value ?? {});
    const [input] = inputs;
    const source = input === undefined ? null : this.#expressionFor(node, input.name);
    if (source === null)
      fields.notes.fault(
        'REFERENCE_MISSING',
        fields.file,
        fields.path,
        'nothing says what the node branches on',
      );
    const isText = input?.schema.type === 'string';
    const value = isText ? source : `string(${source})`;
    const cases = mapping.flatMap(([text, branch]) => {
      const target = typeof branch === 'string' ? next.get(branch) : undefined;
      const key = target === undefined ? null : this.#target(node, target, String(branch));
      if (target === undefined)
        fields.notes.fault(
          'REFERENCE_MISSING',
          fields.file,
          fields.at('mapping'),
          `no edge follows the branch ${quoted(String(branch))}`,
        );
      return key === null ? [] : [[`${value} == ${celText(text)}`, key] as const];
    });
    const otherwise = next.get('default');
    const key = otherwise === undefined ? null : this.#target(node, otherwise, 'default');
    return { type: 'switch', cases: Object.fromEntries(cases), ...(key === null ? {} : { default: key }) };
  }

  /**
   * Returns the step of a branch. A case of a switch must lead to a step, so a branch to the end cannot be expressed.
   */
  #target({ component: { fields } }: FlowNode, target: FlowNode, branch: string): string | null {
    const key = this.keyOf(target);
    if (key === null) {
      const message = `the branch ${quoted(branch)} leads to no step, which a switch cannot do yet`;
      fields.notes.fault('NOT_SUPPORTED', fields.file, fields.path, message);
    }
    return key;
  }

  #nextOf({ next }: FlowNode): { next?: string } {
    const following = next.get('next');
    const key = following === undefined ? null : this.keyOf(following);
    return key === null ? {} : { next: key };
  }

  #agentFor(
    component: Component,
    { goal, model }: { goal: string; model: string | null },
    { outputs }: FlowNode,
  ): ImportedAgent {
    const { draft } = this.#parts;
    const schemas = schemasByName(outputs);
    const agent = new ImportedAgent(draft.keyFor(component.name, 'agent'), {
      name: component.name,
      role: component.name,
      goal,
      ...(model === null ? {} : { model }),
      ...(schemas === null ? {} : { interface: { outputs: schemas } }),
    });
    draft.agents.push(agent);
    return agent;
  }

  #inputsOf(node: FlowNode): Record<string, Json> {
    return Object.fromEntries(node.inputs.map(({ name }) => [name, this.#valueFor(node, name)]));
  }

  /** Returns the expression for an input of a node, or its default value. */
  #valueFor(node: FlowNode, name: string): Json {
    const expression = this.#expressionFor(node, name);
    if (expression !== null) return `\${${expression}}`;
    const value = this.#defaultFor(node, name);
    return typeof value === 'string' ? escaped(value) : value;
  }

  #defaultFor(node: FlowNode, name: string): Json {
    const value = node.inputs.find((input) => input.name === name)?.schema.default;
    if (value === undefined) this.#missing(node, name);
    return value ?? null;
  }

  #expressionFor(node: FlowNode, name: string): string | null {
    const source = node.sources.get(name);
    if (source === undefined) return null;
    if (source.node.component.type === 'StartNode') return inputNamed(source.output);
    const key = this.keyOf(source.node);
    return key === null ? null : `steps[${celText(key)}].output[${celText(source.output)}]`;
  }

  /** Fills the placeholders `{{name}}` of a template. */
  #filled(template: string, node: FlowNode): string {
    return filledIn(template, PLACEHOLDER, (name) => {
      const expression = this.#expressionFor(node, name);
      if (expression !== null) return { expression };
      const value = this.#defaultFor(node, name);
      return { text: typeof value === 'string' ? value : JSON.stringify(value) };
    });
  }

  #missing({ component: { fields } }: FlowNode, name: string): void {
    fields.notes.warn(
      'FIELD_NOT_TAKEN',
      fields.file,
      fields.path,
      `nothing gives the input ${quoted(name)} a value`,
    );
  }

  /** Returns the outputs of the flow that one step returns under the same names. */
  outputs(): Record<string, Json> | null {
    const ends = this.#graph.nodes.filter(({ component }) => component.type === 'EndNode');
    const schemas: [string, Json][] = [];
    for (const end of ends) {
      for (const { name, schema } of end.outputs.length > 0 ? end.outputs : end.inputs) {
        const source = end.sources.get(name);
        const givers = this.#graph.nodes.filter(
          (node) => this.keyOf(node) !== null && node.outputs.some((output) => output.name === name),
        );
        if (source?.output === name && givers.length === 1 && givers[0] === source.node) {
          const { default: _, ...rest } = schema;
          schemas.push([name, rest]);
        } else {
          const { fields } = end.component;
          const message = `the output ${quoted(name)} is not one that a single step answers under this name`;
          fields.notes.warn('FIELD_NOT_TAKEN', fields.file, fields.path, message);
        }
      }
    }
    return schemas.length === 0 ? null : Object.fromEntries(schemas);
  }
}

/**
 * True if a node leads back to itself. The function removes nodes that no node leads to, until no node is left or only
 * loops remain.
 */
function hasLoop({ nodes }: FlowGraph): boolean {
  const waysIn = new Map<FlowNode, number>();
  for (const node of nodes) for (const to of node.next.values()) waysIn.set(to, (waysIn.get(to) ?? 0) + 1);
  const free = nodes.filter((node) => !waysIn.has(node));
  let removed = 0;
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    removed += 1;
    for (const to of node.next.values()) {
      const left = (waysIn.get(to) ?? 0) - 1;
      waysIn.set(to, left);
      if (left === 0) free.push(to);
    }
  }
  return removed < nodes.length;
}
