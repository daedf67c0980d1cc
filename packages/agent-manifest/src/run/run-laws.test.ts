/**
 * Laws of the fold of a run. They must hold for any workflow or graph, any results of steps, and a crash at any point.
 */
import type { Json, RunEvent, RunEventOf } from '@mandate/schemas';
import { agentManifestDocument } from '@mandate/schemas/agent-manifest';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agent, evaluator, human, recipeOf, router } from '../graph/recipe.fixture.ts';
import { graphPlan } from './graph-plan.ts';
import { goOnPlaying, type PlayedStep, type Players, playRun } from './play-run.ts';
import type { RunPlan } from './run-plan.ts';
import { applyEvent, type CurrentStep, type RunState, startedRun, stateOfRun } from './run-state.ts';
import { workflowOf, workflowPlan } from './workflow-plan.ts';

/** Large enough that evaluators send work back, and that crashes come in between. */
const RUNS = { numRuns: runs(1_500) };

const STEPS = ['a', 'b', 'c', 'd'] as const;

/** The result of an attempt. The law needs only its kind. */
type Result =
  | 'ok'
  | 'object'
  | 'transient'
  | 'permanent'
  | 'soft'
  | 'deferred'
  | 'uncertain'
  | 'crash'
  | 'crash in tool'
  | 'refused';

const RESULTS: readonly Result[] = [
  // An evaluator needs an object, and loops need many visits.
  ...(['ok', 'object', 'object', 'object', 'object', 'transient', 'permanent', 'soft'] as const),
  ...(['deferred', 'uncertain', 'crash', 'crash in tool', 'refused'] as const),
];
const result = fc.constantFrom(...RESULTS);

const agentStep = fc.record({
  type: fc.constant('agent'),
  next: fc.option(fc.constantFrom(...STEPS), { nil: undefined }),
});
const switchStep = fc.record({
  type: fc.constant('switch'),
  first: fc.constantFrom(...STEPS),
  default: fc.constantFrom(...STEPS),
});

const workflow = fc.record({
  steps: fc.tuple(agentStep, fc.oneof(agentStep, switchStep), fc.oneof(agentStep, switchStep), agentStep),
});

const step = fc.constantFrom(...STEPS);
const node = fc.record({
  type: fc.constantFrom('agent', 'human', 'router', 'evaluator', 'evaluator'),
  seconds: fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined }),
  mostRefinements: fc.integer({ min: 0, max: 2 }),
  next: fc.option(step, { nil: undefined }),
  ways: fc.tuple(step, step),
});
const graph = fc.record({ nodes: fc.tuple(node, node, node, node) });

const scene = fc.record({
  form: fc.oneof(workflow, graph),
  maxSteps: fc.integer({ min: 1, max: 8 }),
  maxRetries: fc.integer({ min: 0, max: 2 }),
  timeout: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
  results: fc.array(result, { minLength: 1, maxLength: 12 }),
  cut: fc.nat(),
  /** How often a person retries the run after it failed. */
  retries: fc.integer({ min: 1, max: 3 }),
});
type Scene = typeof scene extends fc.Arbitrary<infer Of> ? Of : never;

function planOf(of: Scene): RunPlan {
  return 'nodes' in of.form ? planOfGraph(of, of.form) : planOfWorkflow(of, of.form);
}

/** All nodes read and write the same keys of the board, so each node can change the path of the others. */
function planOfGraph(
  { maxSteps, maxRetries, timeout }: Scene,
  { nodes }: typeof graph extends fc.Arbitrary<infer Of> ? Of : never,
): RunPlan {
  const written = STEPS.map((id, at) => {
    const {
      type,
      seconds,
      mostRefinements,
      ways: [one, other],
    } = nodes[at] ?? nodes[0];
    if (type === 'router') return { ...router(id, { 1: one }, other), input_key: 'n' };
    if (type === 'human') return human(id, seconds === undefined ? {} : { timeout_seconds: seconds });
    if (type === 'agent') return agent(id);
    const fields = { target_variable: 'n', pass_threshold: 0.5, max_refinements: mostRefinements };
    return evaluator(id, { ...fields, pass_route: one, fail_route: other });
  });
  const edges = STEPS.flatMap((id, at): [string, string][] => {
    const { next } = nodes[at] ?? nodes[0];
    return next === undefined ? [] : [[id, next]];
  });
  const policy = { max_retries: maxRetries, ...(timeout !== undefined && { timeout_seconds: timeout }) };
  return graphPlan(recipeOf({ nodes: written, edges }, { policy }), { mostVisits: maxSteps });
}

function planOfWorkflow(
  { maxSteps, maxRetries, timeout }: Scene,
  { steps }: typeof workflow extends fc.Arbitrary<infer Of> ? Of : never,
): RunPlan {
  const written = STEPS.map((key, at) => {
    const step = steps[at];
    if (step?.type === 'switch' && 'first' in step) {
      const { type, first, default: otherwise } = step;
      return [key, { type, cases: { 'has(state.n) && state.n > 1': first }, default: otherwise }];
    }
    const next = step !== undefined && 'next' in step && step.next !== undefined ? { next: step.next } : {};
    return [key, { type: 'agent', agent: 'w', ...next }];
  });
  const manifest = agentManifestDocument.parse({
    apiVersion: 'coreason.ai/v2',
    kind: 'Recipe',
    metadata: { name: 'M' },
    state: { schema: { n: { type: 'number' } } },
    policy: { max_steps: maxSteps, max_retries: maxRetries, ...(timeout !== undefined && { timeout }) },
    definitions: { w: { type: 'agent', name: 'W', role: 'r', goal: 'g', model: 'm' } },
    workflow: { start: 'a', steps: Object.fromEntries(written) },
  });
  const found = workflowOf(manifest, null);
  if (found === null) throw new Error('no workflow');
  return workflowPlan(manifest, found);
}

const STARTED: RunEventOf<'run.started'> = {
  event: 'run.started',
  ...{ runId: 'run_1', tenant: 'default', at: '2026-01-05T09:30:41.000Z' },
  manifest: { id: 'm', version: 1, hash: '0'.repeat(64) },
  ...{ agent: null, inputs: { n: 1 }, principal: null, by: 'key:test' },
};

/** The result depends only on the step, visit and attempt, so a run continues in the same way after a crash. */
function playersOf({ results }: Scene, onEvent: (event: RunEvent) => void): Players {
  const resultAt = (run: RunState, { attempt }: CurrentStep) =>
    results[(run.visits * 5 + attempt) % results.length] ?? 'ok';
  return {
    onEvent,
    perform: (current, run) => played(resultAt(run, current), current),
    answer(waiting, run) {
      const { current } = run;
      if (current === null) return null;
      // In this law, no person answers a question that has a time limit.
      if (waiting.for === 'approval' && waiting.untilMs !== null) return null;
      const place = { step: current.step, visit: current.visit, attempt: current.attempt };
      if (current.phase === 'deferred')
        return {
          waitedMs: 60_000,
          events: [{ event: 'step.failed', ...place, ...failure('APPROVAL_EXPIRED', true) }],
        };
      return { events: [{ event: 'step.resolved', ...place, done: true, output: 1, by: 'key:test' }] };
    },
  };
}

function played(result: Result, { step, visit, attempt, calls }: CurrentStep): PlayedStep {
  const place = { step, visit, attempt };
  const output = (value: Json) => ({ durationMs: 1_000, result: { output: value } });
  switch (result) {
    case 'ok':
      return output(attempt);
    case 'object':
      return output({ n: visit, score: ((visit * 3) % 10) / 10, feedback: `critique ${visit}` });
    case 'transient':
      return { durationMs: 500, result: { failure: failure('STEP_FAILED', true) } };
    case 'permanent':
      return { result: { failure: failure('STEP_FAILED', false) } };
    case 'soft':
      return { result: { failure: { ...failure('RATE_LIMIT_EXCEEDED', true), retryAfterMs: 3_000 } } };
    case 'deferred':
      return {
        result: {
          deferred: { what: 'step', waiting: [{ approvalId: 'apv_1', agentId: 'm', actionId: 'x' }] },
        },
      };
    case 'uncertain':
      return { result: { uncertain: { agentId: null, actionId: null, tool: null } } };
    case 'refused': {
      const retried = calls.filter(({ event }) => event === 'call.retried').length;
      const call = { ...place, agentId: 'm.w', actionId: retried === 0 ? 'z' : `z~${retried}` };
      const answer = { type: 'refused', code: 'AGENT_KILLED', text: '' } as const;
      return {
        events: [
          { event: 'call.begun', ...call, call: { type: 'tool', tool: 'x' }, repeatable: true },
          { event: 'call.completed', ...call, actionAttempt: null, answer, outcome: null },
        ],
        result: { failure: failure('AGENT_KILLED', false) },
      };
    }
    default: {
      // A runner that continues does not crash at the same place again.
      if (calls.length > 0) return output('after the crash');
      const isTool = result === 'crash in tool';
      const call = isTool
        ? ({ type: 'tool', tool: 'x' } as const)
        : ({ type: 'model', provider: 'p', model: 'x', inputTokens: 1, maxOutputTokens: 1 } as const);
      const begun = {
        event: 'call.begun',
        ...place,
        agentId: 'm.w',
        actionId: 'y',
        call,
        repeatable: !isTool,
      } as const;
      return { events: [begun], result: 'crash' };
    }
  }
}

function failure(code: string, retryable: boolean) {
  return { code, reason: 'the scene', retryable, retryAfterMs: null };
}

function play(of: Scene): { plan: RunPlan; events: RunEvent[]; run: RunState } {
  const plan = planOf(of);
  const events: RunEvent[] = [];
  const run = playRun(
    plan,
    STARTED,
    playersOf(of, (event) => events.push(event)),
  );
  return { plan, events, run };
}

test('a run that is interrupted after any event continues with the same events', () => {
  let sentBack = 0;
  fc.assert(
    fc.property(scene, (of) => {
      const { plan, events } = play(of);
      const cut = 1 + (of.cut % events.length);
      sentBack += events.filter(isSentBack).length;
      // A crash of the runner within a call is an event of the play itself.
      if (events[cut - 1]?.event.startsWith('call.')) return;
      const run = stateOfRun(plan, events.slice(0, cut));
      if (run === null) throw new Error('the run has not started');
      const again: RunEvent[] = [];
      goOnPlaying(
        plan,
        run,
        playersOf(of, (event) => again.push(event)),
      );
      expect(again.map(withoutTime)).toEqual(events.slice(cut).map(withoutTime));
    }),
    RUNS,
  );
  expect(sentBack).toBeGreaterThan(hits(30));
});

/** Continues the play, with a person who retries the run after each failure. */
function playRetries(plan: RunPlan, run: RunState, of: Scene, retries: number): RunEvent[] {
  const events: RunEvent[] = [];
  const players = playersOf(of, (event) => events.push(event));
  goOnPlaying(plan, run, players);
  for (let retry = 0; retry < retries; retry += 1) {
    const at = new Date(run.lastEventMs + 60_000).toISOString();
    const { runId, tenant } = STARTED;
    const retried: RunEvent = { event: 'run.retried', runId, tenant, at, by: 'key:test' };
    if (!applyEvent(run, retried, plan.absorb)) break;
    events.push(retried);
    goOnPlaying(plan, run, players);
  }
  return events;
}

test('a run that a person retries continues with the same events after an interruption, and a refused call becomes a new action', () => {
  fc.assert(
    fc.property(scene, (of) => {
      const plan = planOf(of);
      const events = [STARTED, ...playRetries(plan, startedRun(STARTED, plan.start), of, of.retries)];
      const refused = events.flatMap((event) =>
        event.event === 'call.completed' ? [JSON.stringify([event.step, event.visit, event.actionId])] : [],
      );
      expect(new Set(refused).size).toBe(refused.length);
      const cut = 1 + (of.cut % events.length);
      if (events[cut - 1]?.event.startsWith('call.')) return;
      const run = stateOfRun(plan, events.slice(0, cut));
      if (run === null) throw new Error('the run has not started');
      const again = playRetries(plan, run, of, of.retries - run.retries);
      expect(again.map(withoutTime)).toEqual(events.slice(cut).map(withoutTime));
    }),
    RUNS,
  );
});

function isSentBack(event: RunEvent): boolean {
  const output = event.event === 'step.completed' ? event.output : null;
  return JSON.stringify(output ?? null).includes('"refinements":1');
}

test('the state that is computed from the events is the state of the runner that wrote them', () => {
  fc.assert(
    fc.property(scene, (of) => {
      const { plan, events, run } = play(of);
      expect(stateOfRun(plan, events)).toEqual(run);
    }),
    RUNS,
  );
});

test('a run ends once, makes no more visits than its manifest allows, and no more attempts', () => {
  fc.assert(
    fc.property(scene, (of) => {
      const { events, run } = play(of);
      const ends = events.filter(({ event }) => event === 'run.completed' || event === 'run.failed');
      expect(ends).toHaveLength(1);
      expect(ends[0]).toBe(events.at(-1));
      expect(run.visits).toBeLessThanOrEqual(of.maxSteps);
      for (const event of events) {
        if (event.event === 'step.begun') expect(event.attempt).toBeLessThanOrEqual(of.maxRetries + 1);
      }
    }),
    RUNS,
  );
});

test('an event that comes a second time changes nothing, and neither does an event after the end', () => {
  fc.assert(
    fc.property(scene, (of) => {
      const { plan, events } = play(of);
      const run = stateOfRun(plan, events);
      if (run === null) throw new Error('the run has not started');
      const before = structuredClone(run);
      for (const event of events) expect(applyEvent(run, event, plan.absorb)).toBe(false);
      expect(run).toEqual(before);
    }),
    RUNS,
  );
});

test('a run never works longer than its time, except for the attempt that exceeds it', () => {
  fc.assert(
    fc.property(scene, (of) => {
      const { run } = play(of);
      if (of.timeout === undefined || run.status !== 'completed') return;
      expect(run.workedMs).toBeLessThanOrEqual(of.timeout * 1_000);
    }),
    RUNS,
  );
});

function withoutTime({ at: _, ...event }: RunEvent): object {
  return event;
}
