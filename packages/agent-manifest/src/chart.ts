/**
 * Draws a manifest, or a graph recipe, as a Mermaid flowchart. The boxes are numbered in the order of the document, so
 * that `a-b` and `a_b` remain two boxes.
 */
import type { AgentManifest, GraphNode, GraphRecipe, Step } from '@mandate/schemas/agent-manifest';
import { agentSteps } from './agent-steps.ts';

/** A box of the chart. `leadsTo`: the names of boxes with labels; `END` for the end of a run. */
type Box = { name: string; text: readonly string[]; shape: Shape; leadsTo: readonly Arrow[] };
type Arrow = { to: string | typeof END; label?: string | undefined };
type Shape = readonly [opens: string, closes: string];

const END = Symbol('end');
const RECTANGLE: Shape = ['[', ']'];
const DIAMOND: Shape = ['{', '}'];
const HEXAGON: Shape = ['{{', '}}'];
const SLANTED: Shape = ['[/', '/]'];

export function chartOf(document: AgentManifest | GraphRecipe): string {
  if ('topology' in document) {
    const { nodes, edges, entry_point } = document.topology;
    const next = new Map(
      edges.map(({ source, target, condition }) => [source, { to: target, label: condition }]),
    );
    return chart(
      [entry_point],
      nodes.map((node) => boxOfNode(node, next.get(node.id))),
    );
  }
  const { workflow } = document;
  if (workflow !== undefined)
    return chart(
      [workflow.start],
      Object.entries(workflow.steps).map(([key, step]) => boxOfStep(key, step)),
    );
  const steps = agentSteps(document);
  return chart(
    steps.map(({ key }) => key),
    steps.map(({ key, step }) => boxOfStep(key, step)),
  );
}

function boxOfStep(name: string, step: Step): Box {
  switch (step.type) {
    case 'agent':
      return { name, text: [name, `agent: ${step.agent}`], shape: RECTANGLE, leadsTo: [onwards(step.next)] };
    case 'logic':
      return { name, text: [name, 'logic'], shape: RECTANGLE, leadsTo: [onwards(step.next)] };
    case 'council': {
      const { strategy = 'consensus', voters } = step;
      const council = `council: ${strategy} of ${voters.length}`;
      return { name, text: [name, council], shape: RECTANGLE, leadsTo: [onwards(step.next)] };
    }
    case 'switch': {
      const cases = Object.entries(step.cases).map(([label, to]): Arrow => ({ to, label }));
      const otherwise: Arrow[] = step.default === undefined ? [] : [{ to: step.default, label: 'default' }];
      return { name, text: [name, 'switch'], shape: DIAMOND, leadsTo: [...cases, ...otherwise] };
    }
  }
}

function boxOfNode(node: GraphNode, next: Arrow = { to: END }): Box {
  const { id: name } = node;
  switch (node.type) {
    case 'agent':
      return { name, text: [name, `agent: ${node.agent_ref}`], shape: RECTANGLE, leadsTo: [next] };
    case 'human': {
      const who = node.required_role === undefined ? 'human' : `human: ${node.required_role}`;
      return { name, text: [name, who], shape: SLANTED, leadsTo: [next] };
    }
    case 'router': {
      const routes = Object.entries(node.routes).map(([label, to]): Arrow => ({ to, label }));
      const leadsTo = [...routes, { to: node.default_route, label: 'default' }];
      return { name, text: [name, `router: ${node.input_key}`], shape: DIAMOND, leadsTo };
    }
    case 'evaluator': {
      const { evaluator_agent_ref: judge, pass_threshold, pass_route, fail_route } = node;
      const leadsTo = [
        { to: pass_route, label: `score at least ${pass_threshold}` },
        { to: fail_route, label: 'else' },
      ];
      return { name, text: [name, `evaluator: ${judge}`], shape: HEXAGON, leadsTo };
    }
  }
}

function onwards(next: string | undefined): Arrow {
  return { to: next ?? END };
}

function chart(starts: readonly string[], boxes: readonly Box[]): string {
  const ids = new Map(boxes.map(({ name }, at) => [name, `s${at}`]));
  const idOf = (name: string | typeof END) => (name === END ? 'end_' : ids.get(name));
  const lines = ['flowchart TD', '  start([start])', '  end_([end])'];
  for (const start of starts) lines.push(`  start --> ${idOf(start)}`);
  for (const { name, text, shape, leadsTo } of boxes) {
    const [opens, closes] = shape;
    lines.push(`  ${idOf(name)}${opens}"${text.map(escaped).join('<br/>')}"${closes}`);
    for (const { to, label } of leadsTo) {
      const written = label === undefined || label === '' ? '' : `|"${escaped(label)}"|`;
      lines.push(`  ${idOf(name)} -->${written} ${idOf(to)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '"': '#quot;',
  '#': '#35;',
  '<': '#lt;',
  '>': '#gt;',
  '&': '#amp;',
};

/** Escapes characters that could end a label. A line break becomes a blank, because a label must stay on one line. */
function escaped(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replaceAll(/["#<>&]/g, (found) => ENTITIES[found] ?? found);
}
