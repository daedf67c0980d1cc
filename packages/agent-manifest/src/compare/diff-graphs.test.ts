import type { GraphRecipe } from '@mandate/schemas/agent-manifest';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { graphOf, targetsOf } from '../graph/graph.ts';
import { agent, evaluator, human, recipeOf, router } from '../graph/recipe.fixture.ts';
import { diffGraphs } from './diff-graphs.ts';

const write = agent('a');
const judge = evaluator('b');
const ask = human('c', { required_role: 'manager', timeout_seconds: 60 });
const pay = agent('d', { agent_ref: 'm.payer' });
const edges = [
  ['a', 'b'],
  ['c', 'd'],
] as const;
const POLICY = { policy: { timeout_seconds: 60 } };
const base = recipeOf({ nodes: [write, judge, ask, pay], edges }, POLICY);

function linesOf(now: GraphRecipe, old = base): string[] {
  const sign = (widens: boolean | null) => (widens === null ? '?' : widens ? '!' : '-');
  return diffGraphs(old, now).changes.map(
    ({ path, category, change, widens }) => `${sign(widens)} ${path} ${category} ${change}`,
  );
}

test('finds no difference if only the order of nodes and edges or the presentation changes', () => {
  const drawn = { ...write, presentation: { x: 1 } };
  const now = recipeOf(
    {
      nodes: [pay, judge, drawn, ask],
      edges: [
        ['c', 'd'],
        ['b', 'c'],
        ['a', 'b'],
      ],
    },
    POLICY,
  );
  expect(diffGraphs(base, now)).toEqual({ changes: [], highest: null, widens: false });
});

test.each<[title: string, nodes: object[], lines: string[], edges?: (readonly [string, string])[]]>([
  [
    'a person who is gone',
    [write, evaluator('b', { pass_route: 'd' }), pay],
    [
      '! topology.nodes.c BREAKING removed',
      '? topology.edges.c GOVERNANCE removed',
      '? topology.nodes.b.pass_route GOVERNANCE changed',
    ],
    [['a', 'b']],
  ],
  [
    'a way around a person',
    [write, evaluator('b', { pass_route: 'd' }), ask, pay],
    ['? topology.nodes.b.pass_route GOVERNANCE changed', '! topology.nodes.c GOVERNANCE changed'],
  ],
  [
    'an agent instead of a person',
    [write, judge, agent('c'), pay],
    [
      '! topology.nodes.c.agent_ref GOVERNANCE added',
      '- topology.nodes.c.required_role GOVERNANCE removed',
      '! topology.nodes.c.timeout_seconds GOVERNANCE removed',
      '! topology.nodes.c.type GOVERNANCE changed',
      '? topology.nodes.c.prompt FEATURE removed',
    ].map((line) => line.replace('- topology.nodes.c.required_role', '! topology.nodes.c.required_role')),
  ],
  [
    'a new node before the person that asks the agent behind the person',
    [write, judge, ask, pay, agent('e', { agent_ref: 'm.payer' })],
    [
      '? topology.edges.a GOVERNANCE changed',
      '? topology.edges.e GOVERNANCE added',
      '! topology.nodes.e FEATURE added',
    ],
    [
      ['a', 'e'],
      ['e', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a new node behind the person that asks the agent behind the person',
    [write, judge, ask, pay, agent('e', { agent_ref: 'm.payer' })],
    ['? topology.edges.d GOVERNANCE added', '? topology.nodes.e FEATURE added'],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['d', 'e'],
    ],
  ],
  [
    'another agent',
    [write, judge, ask, agent('d', { agent_ref: 'm.owner' })],
    ['! topology.nodes.d.agent_ref GOVERNANCE changed'],
  ],
  [
    'another judge, and less to pass',
    [
      write,
      evaluator('b', { evaluator_agent_ref: 'm.w', pass_threshold: 0.1, max_refinements: 0 }),
      ask,
      pay,
    ],
    [
      '! topology.nodes.b.evaluator_agent_ref GOVERNANCE changed',
      '- topology.nodes.b.max_refinements GOVERNANCE changed',
      '! topology.nodes.b.pass_threshold GOVERNANCE changed',
    ],
  ],
  [
    'a person without a role who has less time',
    [write, judge, human('c', { timeout_seconds: 30 }), pay],
    [
      '! topology.nodes.c.required_role GOVERNANCE removed',
      '- topology.nodes.c.timeout_seconds GOVERNANCE changed',
    ],
  ],
  [
    'another prompt, and metadata',
    [agent('a', { system_prompt_override: 'x', metadata: { owner: 'ann' } }), judge, ask, pay],
    [
      '? topology.nodes.a.system_prompt_override FEATURE added',
      '? topology.nodes.a.metadata.owner PATCH added',
    ],
  ],
])('reports %s', (_title, nodes, lines, ways = [...edges]) => {
  expect(linesOf(recipeOf({ nodes, edges: ways }, POLICY))).toEqual(lines);
});

test('reports changes of limits, routes and labels of edges', () => {
  const of = (routes: object, condition: string, policy: object) => {
    const recipe = recipeOf(
      { nodes: [agent('a'), router('b', routes, 'd'), human('c'), agent('d')], edges: [['a', 'b']] },
      { policy },
    );
    const [edge] = recipe.topology.edges;
    if (edge !== undefined) edge.condition = condition;
    return recipe;
  };
  const old = of({ x: 'c' }, 'done', { max_retries: 1, timeout_seconds: 5 });
  expect(linesOf(of({ x: 'd', y: 'c' }, 'ready', {}), old)).toEqual([
    '- policy.max_retries GOVERNANCE changed',
    '! policy.timeout_seconds GOVERNANCE removed',
    '? topology.nodes.b.routes.x GOVERNANCE changed',
    '? topology.nodes.b.routes.y GOVERNANCE added',
    '? topology.edges.a.condition PATCH changed',
  ]);
});

const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const someRecipe = fc
  .tuple(
    ...IDS.map(() =>
      fc.record({
        kind: fc.constantFrom('agent', 'human', 'router'),
        to: fc.array(fc.constantFrom(...IDS), { minLength: 2, maxLength: 2 }),
        ref: fc.constantFrom('x', 'y'),
      }),
    ),
  )
  .map((drawn) => {
    const nodes = drawn.map(({ kind, to: [one = 'a', two = 'a'], ref }, at) => {
      const id = IDS[at] ?? 'a';
      if (kind === 'router') return router(id, { one }, two);
      return kind === 'human' ? human(id) : agent(id, { agent_ref: ref });
    });
    const ways = drawn.flatMap(({ kind, to: [one = 'a'] }, at) =>
      kind === 'router' ? [] : [[IDS[at] ?? 'a', one] as const],
    );
    return recipeOf({ nodes, edges: ways });
  });

/** The agents that a run can ask when no person answers. */
function askedAlone(recipe: GraphRecipe): ReadonlySet<string> {
  const graph = graphOf(recipe);
  const targets = targetsOf(graph);
  const reached = new Set([graph.entry]);
  for (const id of reached)
    if (graph.nodes.get(id)?.type !== 'human')
      for (const target of targets.get(id) ?? []) reached.add(target);
  const nodes = [...reached].map((id) => graph.nodes.get(id));
  return new Set(nodes.flatMap((node) => (node?.type === 'agent' ? [node.agent_ref] : [])));
}

test('a recipe is wider if it calls an agent without asking a person, and asked a person before', () => {
  let wider = 0;
  fc.assert(
    fc.property(someRecipe, someRecipe, (old, now) => {
      const before = askedAlone(old);
      const more = [...askedAlone(now)].filter((ref) => !before.has(ref));
      if (more.length === 0) return;
      wider += 1;
      expect({ more, widens: diffGraphs(old, now).widens }).toEqual({ more, widens: true });
    }),
    { numRuns: 1_000 },
  );
  expect(wider).toBeGreaterThan(100);
});

test('compares two recipes with many human nodes quickly', () => {
  const many = (count: number) => {
    const ids = Array.from({ length: count }, (_, at) => `n${at}`);
    const nodes = ids.map((id, at) => (at % 2 === 0 ? agent(id, { agent_ref: id }) : human(id)));
    return recipeOf({ nodes, entry: 'n0', edges: ids.slice(1).map((id, at) => [`n${at}`, id] as const) });
  };
  const [old, now] = [many(9_000), many(9_001)];
  const start = performance.now();
  expect(diffGraphs(old, now).changes).toHaveLength(2);
  expect(performance.now() - start).toBeLessThan(30_000);
});
