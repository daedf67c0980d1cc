import type { Json, RunEventOf } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { agent, evaluator, human, recipeOf, router } from '../graph/recipe.fixture.ts';
import { graphPlan } from './graph-plan.ts';
import { eventOfAnswer, type PersonsAnswer } from './next-of-run.ts';
import { goOnPlaying, type PlayedStep, playRun } from './play-run.ts';
import { applyEvent, type RunState } from './run-state.ts';

type Recipe = Parameters<typeof graphPlan>[0];

const startedWith = (inputs: Json): RunEventOf<'run.started'> => ({
  event: 'run.started',
  ...{ runId: 'run_1', tenant: 'default', at: '2026-01-05T09:30:41.000Z' },
  manifest: { id: 'g', version: 1, hash: '0'.repeat(64) },
  ...{ agent: null, inputs, principal: null, by: 'key:test' },
});

const DEFERRED: PlayedStep = {
  result: { deferred: { what: 'step', waiting: [{ approvalId: 'apv_1', agentId: 'g', actionId: 'x' }] } },
};

type Played = RunState & { board: object; given: readonly (readonly [string, Json])[] };

/** Plays a graph. Its nodes return these outputs, one after the other. A person answers the questions. */
function played(
  recipe: Recipe,
  inputs: Json,
  outputs: readonly Json[],
  { answer = null, mostVisits }: { answer?: PersonsAnswer | null; mostVisits?: number } = {},
): Played {
  const left = [...outputs];
  const given: [string, Json][] = [];
  const plan = graphPlan(recipe, { mostVisits });
  const run = playRun(plan, startedWith(inputs), {
    perform({ step, inputs: asked }) {
      given.push([step, asked ?? null]);
      const isPerson = plan.kindOf(step) === 'human';
      const [output, ...others] = left;
      if (isPerson && answer !== 'granted') return DEFERRED;
      if (isPerson) return { result: { output: { approved: true } } };
      if (output === undefined) throw new Error(`there is no output for ${step}`);
      left.splice(0, left.length, ...others);
      return { result: { output } };
    },
    answer: (waiting) =>
      waiting.for === 'approval' && answer !== null
        ? { events: [eventOfAnswer(plan, waiting.deferred, answer)] }
        : null,
  });
  const board = { ...(inputs as object), ...Object.fromEntries(run.state) };
  return { ...run, board, given };
}

const judged = recipeOf({
  nodes: [agent('a'), evaluator('b'), agent('c')],
  edges: [['a', 'b']],
});

test('merges an object into the board, and writes any other value under the id of the node', () => {
  const line = recipeOf({
    nodes: [agent('a'), agent('b'), agent('c')],
    edges: [
      ['a', 'b'],
      ['b', 'c'],
    ],
  });
  const run = played(line, { topic: 't' }, [{ topic: 'u', draft: 1 }, [1], null]);
  expect(run).toMatchObject({ status: 'completed', board: { topic: 'u', draft: 1, b: [1], c: null } });
});

test('sends the work back as often as it may, and then fails', () => {
  const poor = { score: 0.79, feedback: 'more' };
  const draft = { draft: 'd' };
  const once = played(judged, {}, [draft, poor, draft, { score: 1 }, {}]);
  expect(once).toMatchObject({ status: 'completed', board: { critique: '' } });
  // The writer finds the critique on the board.
  expect(once.given[2]).toEqual(['a', { draft: 'd', critique: 'more' }]);
  expect(played(judged, {}, [draft, poor, draft, poor]).ended).toMatchObject({
    code: 'REFINEMENTS_EXHAUSTED',
    step: 'b',
  });
});

test('counts how often each evaluator sent the work back, and no score that passed', () => {
  // The router leads accepted work back to the same evaluator.
  const again = recipeOf({
    nodes: [
      agent('a'),
      evaluator('b', { pass_route: 'r', max_refinements: 1 }),
      router('r', { more: 'a' }, 'c'),
      agent('c'),
    ],
    edges: [['a', 'b']],
  });
  const pass = { score: 0.9 };
  const poor = { score: 0.1, feedback: '' };
  const more = { draft: 'd', kind: 'more' };
  const done = { draft: 'd', kind: 'done' };
  const run = played(again, {}, [more, pass, more, poor, done, pass, 'end']);
  expect(run.status).toBe('completed');
  expect(run.steps.get('b')).toEqual({
    visits: 3,
    output: { score: 0.9, feedback: '', refinements: 1 },
  });
  expect(played(again, {}, [more, poor, more, pass, done, poor]).ended?.code).toBe('REFINEMENTS_EXHAUSTED');
});

test.each([
  ['nothing', null],
  ['a text', { score: '1' }],
  ['more than 1', { score: 1.01 }],
  ['less than 0', { score: -0.1 }],
  ['no object', 0.9],
])('fails if the score is %s', (_what, value) => {
  const run = played(judged, { draft: 'd' }, [{}, value]);
  expect(run).toMatchObject({ ended: { code: 'SCORE_INVALID', step: 'b' }, board: { draft: 'd' } });
});

test('does not call an evaluator if there is nothing to judge', () => {
  expect(played(judged, { draft: null }, [{}])).toMatchObject({
    ended: { code: 'TARGET_MISSING', step: 'b' },
    given: [['a', { draft: null }]],
  });
  const empty = played(judged, { draft: '' }, [{}, { score: 1 }, {}]);
  expect(empty.given[1]).toEqual(['b', { target: '', profile: 'std' }]);
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
  expect(played(recipe, { kind }, ['x']).given.map(([step]) => step)).toEqual([next]);
});

test('reads no value that objects inherit from their prototype', () => {
  const recipe = recipeOf({
    nodes: [
      { ...router('a', { 'function Object() { [native code] }': 'b' }, 'c'), input_key: 'constructor' },
      agent('b'),
      { ...evaluator('c'), target_variable: 'toString' },
    ],
  });
  expect(played(recipe, {}, []).ended).toMatchObject({ code: 'TARGET_MISSING', step: 'c' });
});

test('gives an agent its arguments from the board, or the whole board', () => {
  const inputs = { topic: 't', other: null };
  const asked = (fields: object) => played(recipeOf({ nodes: [agent('a', fields)] }), inputs, ['x']).given;
  expect(asked({ inputs_map: { about: 'topic', also: 'other', critique: 'critique' } })).toEqual([
    ['a', { about: 't', also: null }],
  ]);
  expect(asked({})).toEqual([['a', inputs]]);
});

const asks = recipeOf({
  nodes: [human('a', { timeout_seconds: 60 }), agent('b')],
  edges: [['a', 'b']],
});

test('shows a person the question and the board', () => {
  const run = played(asks, { topic: 't' }, ['x'], { answer: 'granted' });
  expect(run).toMatchObject({
    status: 'completed',
    given: [
      ['a', { prompt: 'ok?', board: { topic: 't' } }],
      ['b', { topic: 't', approved: true }],
    ],
  });
});

test.each([
  ['denied', 'APPROVAL_DENIED'],
  ['late', 'HUMAN_TIMEOUT'],
  ['forgotten', 'HUMAN_TIMEOUT'],
] as const)('an answer that is %s fails the run', (answer, code) => {
  expect(played(asks, {}, [], { answer }).ended).toMatchObject({ code, step: 'a' });
});

test('waits for a person as long as the node states, and otherwise without a limit', () => {
  const late = played(asks, {}, []);
  expect(late).toMatchObject({ status: 'failed', ended: { code: 'HUMAN_TIMEOUT' }, workedMs: 0 });
  expect(late.lastEventMs - Date.parse(late.started.at)).toBe(60_000);
  const patient = recipeOf({ nodes: [human('a')] });
  expect(played(patient, {}, [])).toMatchObject({ status: 'running', current: { phase: 'deferred' } });
});

test('a question that is asked again gets no additional time', () => {
  const plan = graphPlan(asks);
  let answers = 0;
  const run = playRun(plan, startedWith({}), {
    perform: () => DEFERRED,
    answer(waiting) {
      answers += 1;
      if (waiting.for !== 'approval' || answers > 2) return null;
      return { waitedMs: 25_000, events: [eventOfAnswer(plan, waiting.deferred, 'granted')] };
    },
  });
  expect(run.ended?.code).toBe('HUMAN_TIMEOUT');
  expect(run.lastEventMs - Date.parse(run.started.at)).toBe(60_000);
});

test('a person has the whole time again after the run is retried', () => {
  const plan = graphPlan(asks);
  const run = playRun(plan, startedWith({}), { perform: () => DEFERRED });
  const { runId, tenant } = run.started;
  const at = new Date(run.lastEventMs + 1_000).toISOString();
  applyEvent(run, { event: 'run.retried', runId, tenant, at, by: 'key:test' }, plan.absorb);
  goOnPlaying(plan, run, { perform: () => DEFERRED });
  expect(run.ended?.code).toBe('HUMAN_TIMEOUT');
  expect(run.lastEventMs - Date.parse(at)).toBe(60_000);
});

test('ends a run that visits more nodes than its limit', () => {
  const line = recipeOf({ nodes: [agent('a'), agent('b')], edges: [['a', 'b']] });
  expect(played(line, {}, [1], { mostVisits: 1 })).toMatchObject({
    ended: { code: 'STEP_LIMIT', step: 'b' },
    board: { a: 1 },
  });
});

test('checks what a node writes on the board, and takes the outputs of the run from it', () => {
  const sides = {
    interface: { outputs: { draft: { type: 'string' }, topic: { type: 'string' } } },
    state: { properties: { draft: { type: 'string' } } },
  };
  const line = recipeOf({ nodes: [agent('a'), agent('b')], edges: [['a', 'b']] }, sides);
  expect(played(line, { topic: 't' }, [{ draft: 'd' }, 'end']).outputs).toEqual({ draft: 'd', topic: 't' });
  expect(played(line, {}, [{ draft: 1 }]).ended).toMatchObject({ code: 'STATE_INVALID', step: 'a' });
  expect(played(line, {}, [{}, 'end']).ended).toMatchObject({ code: 'OUTPUT_INVALID', step: null });
});
