import { agentManifestDocument, graphRecipeDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { chartOf } from './chart.ts';

const HEAD = { apiVersion: 'coreason.ai/v2', metadata: { name: 'M' } };
const agent = { type: 'agent', role: 'r', goal: 'g' };

test('draws steps with similar names as different boxes', () => {
  const chart = chartOf(
    agentManifestDocument.parse({
      ...HEAD,
      kind: 'Recipe',
      definitions: { w: agent },
      workflow: {
        start: 'a_b',
        steps: {
          'a-b': { type: 'logic', code: 'x.py' },
          a_b: { type: 'council', voters: ['w'], next: 'a-b' },
        },
      },
    }),
  );
  expect(chart.split('\n').slice(3)).toEqual([
    '  start --> s1',
    '  s0["a-b<br/>logic"]',
    '  s0 --> end_',
    '  s1["a_b<br/>council: consensus of 1"]',
    '  s1 --> s0',
    '',
  ]);
});

test('keeps a label with line breaks on its line', () => {
  const chart = chartOf(
    agentManifestDocument.parse({
      ...HEAD,
      kind: 'Recipe',
      workflow: {
        start: 'a',
        steps: {
          a: { type: 'switch', cases: { 'true\n&&\r\u2028"x" == "x"': 'b' } },
          b: { type: 'logic', code: 'x.py' },
        },
      },
    }),
  );
  expect(chart).toContain('|"true #amp;#amp; #quot;x#quot; == #quot;x#quot;"| s1\n');
  expect(chart.split('\n')).toHaveLength(9);
});

test('draws each agent of a manifest without a workflow from start to end', () => {
  const pack = { type: 'tool_pack', metadata: { name: 'p', description: 'd', author: 'ann' } };
  const chart = chartOf(
    agentManifestDocument.parse({
      ...HEAD,
      kind: 'Agent',
      definitions: { w: agent, p: { ...pack, agents: [{ ...agent, id: 'v' }] } },
    }),
  );
  expect(chart.split('\n').slice(3, -1)).toEqual([
    '  start --> s0',
    '  start --> s1',
    '  s0["w<br/>agent: w"]',
    '  s0 --> end_',
    '  s1["v<br/>agent: v"]',
    '  s1 --> end_',
  ]);
});

test('draws the nodes of a graph with their edges and routes', () => {
  const chart = chartOf(
    graphRecipeDocument.parse({
      ...HEAD,
      kind: 'Recipe',
      topology: {
        entry_point: 'a',
        nodes: [
          { type: 'agent', id: 'a', agent_ref: 'm.w' },
          {
            ...{ type: 'evaluator', id: 'b', target_variable: 'draft', evaluator_agent_ref: 'm.judge' },
            ...{ evaluation_profile: 'std', pass_threshold: 0.8, max_refinements: 2 },
            ...{ pass_route: 'c', fail_route: 'a', feedback_variable: 'critique' },
          },
          { type: 'human', id: 'c', prompt: 'ok?', required_role: 'manager' },
          { type: 'router', id: 'd', input_key: 'kind', routes: { x: 'a' }, default_route: 'e' },
          { type: 'human', id: 'e', prompt: 'ok?' },
        ],
        edges: [
          { source: 'a', target: 'b' },
          { source: 'c', target: 'd', condition: 'approved' },
        ],
      },
    }),
  );
  expect(chart.split('\n').slice(3, -1)).toEqual([
    '  start --> s0',
    '  s0["a<br/>agent: m.w"]',
    '  s0 --> s1',
    '  s1{{"b<br/>evaluator: m.judge"}}',
    '  s1 -->|"score at least 0.8"| s2',
    '  s1 -->|"else"| s0',
    '  s2[/"c<br/>human: manager"/]',
    '  s2 -->|"approved"| s3',
    '  s3{"d<br/>router: kind"}',
    '  s3 -->|"x"| s0',
    '  s3 -->|"default"| s4',
    '  s4[/"e<br/>human"/]',
    '  s4 --> end_',
  ]);
});
