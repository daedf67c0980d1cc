/**
 * The walk of a run through a graph: a fold of the results of its nodes. The same results always lead the same way, so
 * whoever goes on with a run after a crash finds the node where it stands.
 *
 * The board holds the inputs of the run and what the nodes answered. A walk is plain data, and can be stored as JSON.
 */
import type { EvaluatorNode, GraphNode, RouterNode } from '@mandate/schemas/agent-manifest';
import { fieldOf, isMap } from '../read/written.ts';
import type { Graph } from './graph.ts';

/** How many nodes a run visits at most, unless an option says otherwise. */
export const MOST_VISITS = 50;

export type Board = Readonly<Record<string, unknown>>;

type WalkCode =
  | 'STEP_LIMIT'
  | 'TARGET_MISSING'
  | 'SCORE_INVALID'
  | 'REFINEMENTS_EXHAUSTED'
  | 'HUMAN_TIMEOUT'
  | 'APPROVAL_DENIED';

/** `at`: the node that is visited now. `code`: one of the walk, or the code with which a node failed. */
type WalkStatus =
  | { status: 'running'; at: string }
  | { status: 'completed' }
  | { status: 'failed'; code: string };

export type Walk = WalkStatus & {
  board: Board;
  /** How many visits were begun. */
  visits: number;
  /** How often each evaluator has sent the work back, by its id. */
  refinements: Readonly<Record<string, number>>;
};

/**
 * What came of a node: its output, or the code of its failure. The output of a person is the answer. The output of an
 * evaluator has `score` and `feedback`. A router has no output, so that any result leads on.
 */
export type NodeResult = { output: unknown } | { failed: string };

export type WalkOptions = { mostVisits?: number };

/** @param inputs the inputs of the run, with defaults filled in */
export function startWalk({ entry }: Graph, inputs: Board, options: WalkOptions = {}): Walk {
  return arriveAt({ status: 'completed', board: inputs, visits: 0, refinements: {} }, entry, options);
}

/** What the node that is visited now needs: nothing, an agent, or a person. */
export type NodeRequest =
  | { type: 'agent'; agentRef: string; systemPrompt: string | null; inputs: Board }
  | { type: 'human'; prompt: string; requiredRole: string | null; timeoutMs: number | null }
  | { type: 'router' }
  | { type: 'evaluator'; agentRef: string; profile: string | Board; target: unknown }
  | { type: 'failed'; code: WalkCode };

/** Returns what is asked of the node. Null if the walk is over. */
export function requestOfNode(graph: Graph, walk: Walk): NodeRequest | null {
  const node = nodeAt(graph, walk);
  switch (node?.type) {
    case undefined:
      return null;
    case 'agent': {
      const { agent_ref: agentRef, system_prompt_override: systemPrompt = null, inputs_map } = node;
      return { type: 'agent', agentRef, systemPrompt, inputs: argumentsFrom(walk.board, inputs_map) };
    }
    case 'human': {
      const { prompt, required_role: requiredRole = null, timeout_seconds } = node;
      const timeoutMs = timeout_seconds === undefined ? null : timeout_seconds * 1_000;
      return { type: 'human', prompt, requiredRole, timeoutMs };
    }
    case 'router':
      return { type: 'router' };
    case 'evaluator': {
      const target = targetOf(node, walk.board);
      if (target === null) return { type: 'failed', code: 'TARGET_MISSING' };
      const { evaluator_agent_ref: agentRef, evaluation_profile: profile } = node;
      return { type: 'evaluator', agentRef, profile, target };
    }
  }
}

/** Returns the walk after the result of the node that is visited now. A walk that is over stays as it is. */
export function nextOfWalk(graph: Graph, walk: Walk, result: NodeResult, options: WalkOptions = {}): Walk {
  const node = nodeAt(graph, walk);
  if (node === undefined) return walk;
  if (node.type === 'router') return arriveAt(walk, routeOf(node, walk.board), options);
  if (node.type === 'evaluator' && targetOf(node, walk.board) === null) return failed(walk, 'TARGET_MISSING');
  if ('failed' in result) return failed(walk, result.failed);
  if (node.type === 'evaluator') return afterScore(walk, node, result.output, options);
  const { output } = result;
  const answered = { ...walk, board: { ...walk.board, ...(isMap(output) ? output : { [node.id]: output }) } };
  const next = graph.next.get(node.id);
  return next === undefined ? { ...answered, status: 'completed' } : arriveAt(answered, next, options);
}

function nodeAt({ nodes }: Graph, walk: Walk): GraphNode | undefined {
  return walk.status === 'running' ? nodes.get(walk.at) : undefined;
}

function arriveAt(walk: Walk, at: string, { mostVisits = MOST_VISITS }: WalkOptions): Walk {
  if (walk.visits >= mostVisits) return failed(walk, 'STEP_LIMIT');
  const { board, visits, refinements } = walk;
  return { status: 'running', at, board, visits: visits + 1, refinements };
}

function failed({ board, visits, refinements }: Walk, code: string): Walk {
  return { status: 'failed', code, board, visits, refinements };
}

/** An argument is left out if the board has not its key. */
function argumentsFrom(board: Board, map: Readonly<Record<string, string>> | undefined): Board {
  if (map === undefined) return board;
  const present = Object.entries(map).filter(([, key]) => Object.hasOwn(board, key));
  return Object.fromEntries(present.map(([argument, key]) => [argument, board[key]]));
}

/** Texts, numbers and booleans choose a route as texts. Any other value, and none, takes the default. */
function routeOf({ input_key, routes, default_route }: RouterNode, board: Board): string {
  const value = fieldOf(board, input_key);
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  if (!isPlain || !Object.hasOwn(routes, String(value))) return default_route;
  return routes[String(value)] ?? default_route;
}

/** Null if there is nothing to judge. */
function targetOf({ target_variable }: EvaluatorNode, board: Board): unknown {
  return fieldOf(board, target_variable) ?? null;
}

function afterScore(walk: Walk, node: EvaluatorNode, output: unknown, options: WalkOptions): Walk {
  const score = fieldOf(output, 'score');
  if (typeof score !== 'number' || !(score >= 0 && score <= 1)) return failed(walk, 'SCORE_INVALID');
  const { id, feedback_variable, pass_threshold, max_refinements, pass_route, fail_route } = node;
  const feedback = fieldOf(output, 'feedback') ?? '';
  const judged = { ...walk, board: { ...walk.board, [feedback_variable]: feedback } };
  if (score >= pass_threshold) return arriveAt(judged, pass_route, options);
  const before = ownCount(walk.refinements, id);
  if (before >= max_refinements) return failed(judged, 'REFINEMENTS_EXHAUSTED');
  const refinements = { ...walk.refinements, [id]: before + 1 };
  return arriveAt({ ...judged, refinements }, fail_route, options);
}

function ownCount(counts: Readonly<Record<string, number>>, id: string): number {
  return Object.hasOwn(counts, id) ? (counts[id] ?? 0) : 0;
}
