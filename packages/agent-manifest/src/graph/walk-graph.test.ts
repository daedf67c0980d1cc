import { expect, test } from 'vitest';
import { graphOf } from './graph.ts';
import { agent, evaluator, human, recipeOf, router } from './recipe.fixture.ts';
import { type NodeResult, nextOfWalk, requestOfNode, startWalk, type Walk } from './walk-graph.ts';

type Recipe = Parameters<typeof graphOf>[0];

/** Walks with these results. After each result, the walk is forgotten but for its JSON. */
function walked(recipe: Recipe, inputs: object, results: readonly NodeResult[], mostVisits = 50): Walk {
  const graph = graphOf(recipe);
  return results.reduce(
    (walk: Walk, result) => nextOfWalk(graph, JSON.parse(JSON.stringify(walk)), result, { mostVisits }),
    startWalk(graph, { ...inputs }, { mostVisits }),
  );
}

const output = (value: unknown): NodeResult => ({ output: value });
const ROUTED = output(null);

const judged = recipeOf({
  nodes: [agent('a'), evaluator('b'), agent('c')],
  edges: [['a', 'b']],
});

test('merges an object into the board, and puts anything else under the id of the node', () => {
  const line = recipeOf({
    nodes: [agent('a'), agent('b'), agent('c')],
    edges: [
      ['a', 'b'],
      ['b', 'c'],
    ],
  });
  const walk = walked(line, { topic: 't' }, [output({ topic: 'u', draft: 1 }), output([1]), output(null)]);
  expect(walk).toMatchObject({ status: 'completed', board: { topic: 'u', draft: 1, b: [1], c: null } });
});

test('sends the work back as often as it may, counted for each evaluator', () => {
  const poor = output({ score: 0.79, feedback: 'more' });
  const draft = output({ draft: 'd' });
  const once = walked(judged, {}, [draft, poor]);
  expect(once).toMatchObject({ status: 'running', at: 'a', board: { critique: 'more' } });
  expect(walked(judged, {}, [draft, poor, draft, output({ score: 1 }), output({})])).toMatchObject({
    status: 'completed',
    board: { critique: '' },
  });
  expect(walked(judged, {}, [draft, poor, draft, poor])).toMatchObject({
    status: 'failed',
    code: 'REFINEMENTS_EXHAUSTED',
  });
});

test.each([
  ['nothing', null],
  ['a text', { score: '1' }],
  ['more than 1', { score: 1.01 }],
  ['less than 0', { score: -0.1 }],
  ['no object', 0.9],
])('fails if the score is %s', (_what, value) => {
  expect(walked(judged, { draft: 'd' }, [output({}), output(value)])).toMatchObject({
    status: 'failed',
    code: 'SCORE_INVALID',
    board: { draft: 'd' },
  });
});

test('does not ask an evaluator that has nothing to judge', () => {
  const graph = graphOf(judged);
  const walk = walked(judged, { draft: null }, [output({})]);
  expect(requestOfNode(graph, walk)).toEqual({ type: 'failed', code: 'TARGET_MISSING' });
  expect(nextOfWalk(graph, walk, output({ score: 1 }))).toMatchObject({ code: 'TARGET_MISSING' });
  const empty = walked(judged, { draft: '' }, [output({})]);
  expect(requestOfNode(graph, empty)).toEqual({
    type: 'evaluator',
    agentRef: 'm.judge',
    profile: 'std',
    target: '',
  });
});

test.each([
  ['red', 'b'],
  ['Red', 'c'],
  [1, 'b'],
  [1.5, 'c'],
  [false, 'b'],
  ['constructor', 'c'],
  [{ red: 1 }, 'c'],
])('routes %j to %s', (kind, next) => {
  const recipe = recipeOf({
    nodes: [router('a', { red: 'b', 1: 'b', false: 'b' }, 'c'), agent('b'), agent('c')],
  });
  expect(walked(recipe, { kind }, [ROUTED])).toMatchObject({ status: 'running', at: next });
});

test('takes no value from what every object inherits', () => {
  const recipe = recipeOf({
    nodes: [
      { ...router('a', { 'function Object() { [native code] }': 'b' }, 'c'), input_key: 'constructor' },
      agent('b'),
      { ...evaluator('c'), target_variable: 'toString' },
    ],
  });
  const walk = walked(recipe, {}, [ROUTED]);
  expect(walk).toMatchObject({ status: 'running', at: 'c' });
  expect(requestOfNode(graphOf(recipe), walk)).toMatchObject({ type: 'failed' });
});

test('gives an agent the arguments that the board has, or the whole board', () => {
  const graphWith = (fields: object) => graphOf(recipeOf({ nodes: [agent('a', fields)] }));
  const inputs = { topic: 't', other: null };
  const asked = (fields: object) => {
    const graph = graphWith(fields);
    return requestOfNode(graph, startWalk(graph, inputs));
  };
  expect(asked({ inputs_map: { about: 'topic', also: 'other', critique: 'critique' } })).toEqual({
    type: 'agent',
    agentRef: 'm.w',
    systemPrompt: null,
    inputs: { about: 't', also: null },
  });
  expect(asked({ system_prompt_override: 'Be brief.' })).toMatchObject({
    systemPrompt: 'Be brief.',
    inputs,
  });
});

test('asks a person with the role and the time of the node, and fails without an answer', () => {
  const recipe = recipeOf({
    nodes: [human('a', { required_role: 'manager', timeout_seconds: 60 }), agent('b')],
    edges: [['a', 'b']],
  });
  expect(requestOfNode(graphOf(recipe), walked(recipe, {}, []))).toEqual({
    type: 'human',
    prompt: 'ok?',
    requiredRole: 'manager',
    timeoutMs: 60_000,
  });
  expect(walked(recipe, {}, [{ failed: 'HUMAN_TIMEOUT' }])).toMatchObject({
    status: 'failed',
    code: 'HUMAN_TIMEOUT',
  });
  expect(walked(recipe, {}, [output({ approved: true })])).toMatchObject({
    at: 'b',
    board: { approved: true },
  });
});

test('ends a walk that visits more nodes than it may, and leaves a walk that is over as it is', () => {
  const line = recipeOf({ nodes: [agent('a'), agent('b')], edges: [['a', 'b']] });
  const over = walked(line, {}, [output(1)], 1);
  expect(over).toMatchObject({ status: 'failed', code: 'STEP_LIMIT', visits: 1, board: { a: 1 } });
  expect(walked(line, {}, [output(1), output(2), output(3)], 1)).toEqual(over);
  expect(requestOfNode(graphOf(line), over)).toBeNull();
});
