/**
 * The plan of a run that walks through a graph. The board is the state of the run: it contains the inputs of the run,
 * and over them the outputs of the nodes.
 */
import type { Json } from '@mandate/schemas';
import type { EvaluatorNode, GraphNode, GraphRecipe, RouterNode } from '@mandate/schemas/agent-manifest';
import { graphOf } from '../graph/graph.ts';
import { sideSchema } from '../side-schema.ts';
import { checkOutput, isObject, type JsonObject, outputsOf, withinSize } from './run-data.ts';
import type { Finished, Product, RunPlan, StepFailure } from './run-plan.ts';
import type { RunState } from './run-state.ts';

/** The maximum number of nodes that a run visits, unless an option states another number. */
export const MOST_VISITS = 50;

/** @param recipe a valid recipe */
export function graphPlan(
  recipe: GraphRecipe,
  { mostVisits = MOST_VISITS }: { mostVisits?: number | undefined } = {},
): RunPlan {
  const { policy = {}, state, interface: sides = {} } = recipe;
  const graph = graphOf(recipe);
  const states = sideSchema({ type: 'object', properties: state?.properties ?? {} }, 'none');
  const outputs = sides.outputs === undefined ? null : sideSchema(sides.outputs, 'all');
  const nodeOf = (step: string): GraphNode => {
    const node = graph.nodes.get(step);
    if (node === undefined) throw new Error(`the graph has no node ${step}`);
    return node;
  };
  return {
    start: graph.entry,
    attempts: 1 + (policy.max_retries ?? 0),
    maxSteps: mostVisits,
    timeoutMs: policy.timeout_seconds === undefined ? null : policy.timeout_seconds * 1_000,
    kindOf(step) {
      const { type } = nodeOf(step);
      return type === 'router' ? 'switch' : type;
    },
    inputsOf(run, step) {
      const read = inputsOfNode(nodeOf(step), boardOf(run));
      if ('failed' in read || read.inputs === undefined) return read;
      return withinSize(read.inputs, 'INPUT_TOO_LARGE') ?? read;
    },
    choose(run, step) {
      const node = nodeOf(step);
      if (node.type !== 'router') throw new Error(`${step} is no router`);
      return { next: routeOf(node, boardOf(run)) };
    },
    finish(run, step, product) {
      const node = nodeOf(step);
      const output = outputOf(product);
      const finished: Finished | StepFailure =
        node.type === 'evaluator'
          ? afterScore(node, output, sentBackBefore(run, step))
          : { output, next: graph.next.get(step) ?? null };
      if ('failed' in finished || finished.output === undefined) return finished;
      return checkOutput(finished.output, written(node, finished.output), states) ?? finished;
    },
    absorb: (step, output) => written(nodeOf(step), output),
    answerMsOf(step) {
      const node = nodeOf(step);
      return node.type === 'human' && node.timeout_seconds !== undefined
        ? node.timeout_seconds * 1_000
        : null;
    },
    outputsOf(run) {
      const board = boardOf(run);
      return outputsOf(run, outputs, (name) => own(board, name));
    },
  };
}

function boardOf({ started, state }: RunState): JsonObject {
  return Object.fromEntries([...Object.entries(isObject(started.inputs) ? started.inputs : {}), ...state]);
}

/** Names that every object inherits are not on the board. */
function own(value: Json, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function inputsOfNode(node: GraphNode, board: JsonObject): { inputs: Json | undefined } | StepFailure {
  switch (node.type) {
    case 'agent':
      return { inputs: argumentsFrom(board, node.inputs_map) };
    case 'human':
      // A person who answers must see what the question is about.
      return { inputs: { prompt: node.prompt, board } };
    case 'router':
      return { inputs: undefined };
    case 'evaluator': {
      const target = own(board, node.target_variable) ?? null;
      if (target !== null) return { inputs: { target, profile: node.evaluation_profile as Json } };
      const reason = `The board has nothing to judge under "${node.target_variable}".`;
      return { failed: 'TARGET_MISSING', reason };
    }
  }
}

/** An argument is left out if the board does not contain its key. */
function argumentsFrom(board: JsonObject, map: Readonly<Record<string, string>> | undefined): JsonObject {
  if (map === undefined) return board;
  return Object.fromEntries(
    Object.entries(map).flatMap(([argument, key]) => {
      const value = own(board, key);
      return value === undefined ? [] : [[argument, value]];
    }),
  );
}

/**
 * Texts, numbers and booleans choose a route by their text. Any other value, or a missing value, chooses the default.
 */
function routeOf({ input_key, routes, default_route }: RouterNode, board: JsonObject): string {
  const value = own(board, input_key);
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (!isPlain || !Object.hasOwn(routes, String(value))) return default_route;
  return routes[String(value)] ?? default_route;
}

function outputOf(product: Product): Json {
  if ('output' in product) return product.output;
  throw new Error('a graph has no council');
}

/**
 * What the output of a node writes on the board: the critique of an evaluator, all fields of an object, or one value.
 */
function written(node: GraphNode, output: Json): (readonly [string, Json])[] {
  if (node.type === 'evaluator') return [[node.feedback_variable, own(output, 'feedback') ?? '']];
  return isObject(output) ? Object.entries(output) : [[node.id, output]];
}

/** The outputs of an evaluator count how often it has sent the work back. So the log contains this count. */
function sentBackBefore(run: RunState, step: string): number {
  const count = own(run.steps.get(step)?.output ?? null, 'refinements');
  return typeof count === 'number' ? count : 0;
}

function afterScore(node: EvaluatorNode, output: Json, before: number): Finished | StepFailure {
  const score = own(output, 'score');
  if (typeof score !== 'number' || !(score >= 0 && score <= 1))
    return { failed: 'SCORE_INVALID', reason: 'The evaluator gave no score from 0 to 1.' };
  const { pass_threshold, max_refinements, pass_route, fail_route } = node;
  const judged = { score, feedback: own(output, 'feedback') ?? '' };
  if (score >= pass_threshold) return { output: { ...judged, refinements: before }, next: pass_route };
  if (before < max_refinements) return { output: { ...judged, refinements: before + 1 }, next: fail_route };
  const reason = `The score is ${score}, ${pass_threshold} is needed, and the work was sent back ${before} times.`;
  return { failed: 'REFINEMENTS_EXHAUSTED', reason };
}
