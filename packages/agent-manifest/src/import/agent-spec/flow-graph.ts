/** The nodes of a flow with the edges between them. */
import { quoted } from '../import-notes.ts';
import type { Component, SpecComponents } from './components.ts';
import { type Property, propertiesOf } from './properties.ts';

export type FlowNode = {
  component: Component;
  inputs: readonly Property[];
  outputs: readonly Property[];
  /** The nodes that follow the node, by the name of the branch. A node without branches has the branch `next`. */
  next: Map<string, FlowNode>;
  /** The source of each input, by the name of the input. */
  sources: Map<string, { node: FlowNode; output: string }>;
};

export type FlowGraph = { start: FlowNode; nodes: readonly FlowNode[] };

/** Returns the graph of a flow. Null if a fault was found. */
export function flowGraph(flow: Component, components: SpecComponents): FlowGraph | null {
  const { fields } = flow;
  const { notes, file } = fields;
  const nodes = new Map<Component, FlowNode>();
  for (const component of components.listed(flow, 'nodes')) {
    const inputs = propertiesOf(component.fields, 'inputs');
    const outputs = propertiesOf(component.fields, 'outputs');
    nodes.set(component, { component, inputs, outputs, next: new Map(), sources: new Map() });
  }
  const nodeIn = (edge: Component, name: string): FlowNode | null => {
    const component = components.in(edge, name);
    const node = component === null ? undefined : nodes.get(component);
    if (node === undefined)
      notes.fault('REFERENCE_MISSING', file, edge.fields.at(name), `${name} is no node of the flow`);
    return node ?? null;
  };
  for (const edge of components.listed(flow, 'control_flow_connections')) {
    const from = nodeIn(edge, 'from_node');
    const to = nodeIn(edge, 'to_node');
    const branch = edge.fields.text('from_branch') ?? 'next';
    edge.fields.any('description');
    edge.fields.end();
    if (from === null || to === null) continue;
    if (from.next.has(branch))
      notes.fault(
        'NOT_SUPPORTED',
        file,
        edge.fields.path,
        `two nodes follow the branch ${quoted(branch)}: steps run one after the other`,
      );
    from.next.set(branch, to);
  }
  const dataEdges = fields.any('data_flow_connections');
  for (const edge of components.listed(flow, 'data_flow_connections')) {
    const node = nodeIn(edge, 'source_node');
    const to = nodeIn(edge, 'destination_node');
    const output = edge.fields.text('source_output');
    const input = edge.fields.text('destination_input');
    edge.fields.any('description');
    edge.fields.end();
    if (node === null || to === null || output === null || input === null) continue;
    if (to.sources.has(input))
      notes.fault('NOT_SUPPORTED', file, edge.fields.path, `the input ${quoted(input)} has two sources`);
    to.sources.set(input, { node, output });
  }
  if (dataEdges === undefined) connectByName([...nodes.values()]);
  const component = components.in(flow, 'start_node');
  const start = component === null ? undefined : nodes.get(component);
  if (start === undefined)
    notes.fault('REFERENCE_MISSING', file, fields.at('start_node'), 'the flow has no start node');
  return start === undefined || notes.hasFaults ? null : { start, nodes: [...nodes.values()] };
}

/** In a flow without data edges, an input gets the value of the only output with the same name. */
function connectByName(nodes: readonly FlowNode[]): void {
  const byName = new Map<string, FlowNode[]>();
  for (const node of nodes) {
    if (node.component.type === 'EndNode') continue;
    for (const { name } of node.outputs) {
      const found = byName.get(name);
      if (found === undefined) byName.set(name, [node]);
      else found.push(node);
    }
  }
  for (const node of nodes) {
    for (const { name } of node.inputs) {
      const [source, second] = byName.get(name) ?? [];
      if (source !== undefined && second === undefined && source !== node)
        node.sources.set(name, { node: source, output: name });
    }
  }
}
