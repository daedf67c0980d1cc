import { expect, test } from 'vitest';
import { readGraphRecipe } from './read-graph-recipe.ts';

const HEAD = 'apiVersion: coreason.ai/v2\nkind: Recipe\nmetadata: { name: G }\n';

function faultsOf(text: string): string[] {
  const read = readGraphRecipe(text, 'g.yaml');
  if (read.ok) return read.warnings.map(({ code, path, line }) => `warning ${code} ${path} ${line}`);
  return read.faults.map(({ code, path, line, column }) => `${code} ${path} ${line}:${column}`);
}

test('names each fault with its place, in the order of the file', () => {
  const text = `${HEAD}topology:
  entry_point: x
  nodes:
    - { type: agent, id: a, agent_ref: m.w }
    - type: evaluator
      id: b
      target_variable: draft
      evaluator_agent_ref: m.judge
      evaluation_profile: std
      pass_threshold: 0.5
      max_refinements: 1
      pass_route: a
      fail_route: y
      feedback_variable: critique
  edges:
    - { source: a, target: z }
    - { source: b, target: b }
`;
  expect(faultsOf(text)).toEqual([
    'REFERENCE_MISSING topology.entry_point 5:3',
    'REFERENCE_MISSING topology.nodes.1.fail_route 16:7',
    'REFERENCE_MISSING topology.edges.0.target 19:20',
    'EDGE_NOT_A_ROUTE topology.edges.1 20:7',
  ]);
});

test('checks fields before it checks where edges lead', () => {
  const text = `${HEAD}state: { properties: { draft: string }, persistence: file }
policy: { max_retries: two }
topology:
  entry_point: x
  nodes:
    - { type: agent, id: a }
    - { type: robot, id: b }
    - { type: human, id: c, prompt: "ok?", presentation: { color: red, size: 2 } }
  edges: []
`;
  expect(faultsOf(text)).toEqual([
    'SCHEMA_INVALID state.properties.draft 4:24',
    'VALUE_WRONG state.persistence 4:41',
    'TYPE_WRONG policy.max_retries 5:11',
    'FIELD_MISSING topology.nodes.0.agent_ref 9:7',
    'VALUE_WRONG topology.nodes.1.type 10:9',
    'VALUE_WRONG topology.nodes.2.presentation.color 11:60',
    'FIELD_UNKNOWN topology.nodes.2.presentation.size 11:72',
  ]);
});

test('refuses a document with two forms of a manifest, two names for the design, and text that is not YAML', () => {
  const nodes = 'topology: { entry_point: a, nodes: [{ type: agent, id: a, agent_ref: w }], edges: [] }\n';
  expect(faultsOf(`${HEAD}${nodes}workflow: { start: a }\n`)).toEqual(['FIELD_CONFLICT workflow 5:1']);
  const designed = HEAD.replace('name: G', 'name: G, x-design: {}, design_metadata: {}');
  expect(faultsOf(`${designed}${nodes}`)).toEqual(['FIELD_CONFLICT metadata.design_metadata 3:36']);
  expect(faultsOf('topology: [')).toEqual([expect.stringMatching(/^YAML_INVALID/)]);
  expect(faultsOf(`${HEAD}${nodes}`)).toEqual([]);
});

test('finds circles of nodes that no evaluator can leave, and a node that leads to itself', () => {
  const circle = (nodes: string, edges = '') =>
    faultsOf(`${HEAD}topology: { entry_point: a, nodes: [${nodes}], edges: [${edges}] }\n`);
  const agent = (id: string) => `{ type: agent, id: ${id}, agent_ref: w }`;
  expect(circle(agent('a'), '{ source: a, target: a }')).toEqual([
    expect.stringMatching(/^CYCLE topology.nodes.0 /),
  ]);
  const judge = (pass: string) =>
    `{ type: evaluator, id: b, target_variable: t, evaluator_agent_ref: j, evaluation_profile: {}, pass_threshold: 1, max_refinements: 0, pass_route: ${pass}, fail_route: a, feedback_variable: f }`;
  expect(circle(`${judge('a')}, ${agent('a')}`, '{ source: a, target: b }')).toEqual([
    expect.stringMatching(/^CYCLE topology.nodes.0 /),
  ]);
  expect(circle(`${judge('c')}, ${agent('a')}, ${agent('c')}`, '{ source: a, target: b }')).toEqual([]);
});

test('searches for circles only if it is certain where edges lead', () => {
  const text = `${HEAD}topology:
  entry_point: a
  nodes: [{ type: agent, id: a, agent_ref: w }, { type: agent, id: b, agent_ref: w }]
  edges: [{ source: a, target: b }, { source: b, target: a }, { source: b, target: c }]
`;
  expect(faultsOf(text)).toEqual(['REFERENCE_MISSING topology.edges.2.target 7:76']);
});

test('reads a recipe with thousands of nodes quickly', () => {
  const nodes = Array.from({ length: 3_000 }, (_, at) => `{type: agent, id: n${at}, agent_ref: w}`);
  const edges = Array.from({ length: 2_999 }, (_, at) => `{source: n${at}, target: n${at + 1}}`);
  const text = `${HEAD}topology: {entry_point: n0, nodes: [${nodes}], edges: [${edges}]}\n`;
  expect(text.length).toBeGreaterThan(200_000);
  const start = performance.now();
  expect(faultsOf(text)).toEqual([]);
  expect(performance.now() - start).toBeLessThan(30_000);
});
