/**
 * The graph recipe: agents of other manifests, people, routers and evaluators as the nodes of a graph. A run walks
 * from node to node. The document is kept as written: no default is filled in.
 *
 * Only the form is checked here. `@mandate/agent-manifest` checks where edges and routes lead.
 */
import { z } from 'zod';
import { anyMap, anyText, manifestName, manifestText, number } from './agent-manifest-fields.ts';
import { apiVersion, metadata, sides } from './agent-manifest-head.ts';
import { described } from './described.ts';

const presentation = z.strictObject({
  x: described(z.number().optional(), 'The position from the left.', 120),
  y: described(z.number().optional(), 'The position from the top.', 40),
  label: described(anyText().optional(), 'A label.', 'Write'),
  color: described(
    z
      .string()
      .regex(/^#[0-9A-Fa-f]{6}$/, { error: 'must be a color such as #4A90E2' })
      .optional(),
    'A color: red, green and blue, two hexadecimal digits each.',
    '#4A90E2',
  ),
  icon: described(anyText().optional(), 'The name of an icon.', 'pen'),
  z_index: described(z.int().optional(), 'Which of two nodes is drawn above the other.', 1),
});

const nodeName = (what: string, example: string) => described(manifestName, what, example);
const key = (what: string, example: string) => described(manifestText(), what, example);
const MOST_SECONDS = 2_678_400;

const COMMON = {
  id: nodeName('The id of the node. Edges and routes name it.', 'write'),
  metadata: described(anyMap.optional(), 'What else is known about the node. It changes no decision.', {
    owner: 'ann',
  }),
  presentation: described(presentation.optional(), 'How an editor draws the node. It changes no decision.'),
};

const agentNode = z.strictObject({
  type: described(z.literal('agent'), 'A node of an agent.'),
  ...COMMON,
  agent_ref: described(manifestText(), 'The agent of a published manifest.', 'research.writer'),
  system_prompt_override: described(
    manifestText().optional(),
    'Replaces role, goal and backstory of the agent.',
    'Be brief.',
  ),
  inputs_map: described(
    z.record(z.string(), manifestText()).optional(),
    'The arguments of the agent, each with a key of the board. An argument whose key is missing is left out. Absent: the whole board.',
    { topic: 'topic' },
  ),
});

const humanNode = z.strictObject({
  type: described(z.literal('human'), 'A question to a person.'),
  ...COMMON,
  prompt: described(manifestText(), 'The question to the person.', 'Publish this?'),
  timeout_seconds: described(
    z.int().min(1).max(MOST_SECONDS).optional(),
    'How long the node waits for an answer. Absent: as long as an approval may wait.',
    86_400,
  ),
  required_role: described(manifestText().optional(), 'The role of the person who may answer.', 'manager'),
});

const routerNode = z.strictObject({
  type: described(z.literal('router'), 'A node that picks a route by a value.'),
  ...COMMON,
  input_key: key('The key of the board whose value chooses the route.', 'kind'),
  routes: described(
    z.record(z.string(), manifestName),
    'The values as texts, each with the node that it leads to.',
    { refund: 'pay' },
  ),
  default_route: nodeName('The next node if no route has the value.', 'write'),
});

const evaluatorNode = z.strictObject({
  type: described(z.literal('evaluator'), 'A node that picks a route by a score.'),
  ...COMMON,
  target_variable: key('The key of the board whose value is judged.', 'draft'),
  evaluator_agent_ref: described(manifestText(), 'The agent that judges.', 'research.judge'),
  evaluation_profile: described(
    z.union([manifestText(), anyMap]),
    'How the agent judges: the name of a profile, or a profile.',
    'standard',
  ),
  pass_threshold: described(number(0, 1), 'The least score that passes.', 0.8),
  max_refinements: described(
    z.int().min(0).max(1_000),
    'How often a score below the threshold leads to fail_route. Once more, and the run fails.',
    2,
  ),
  pass_route: nodeName('The next node after a score that passes.', 'publish'),
  fail_route: nodeName('The next node after a score below the threshold.', 'write'),
  feedback_variable: key('The key of the board that gets the critique.', 'critique'),
});

const graphNode = z.discriminatedUnion('type', [agentNode, humanNode, routerNode, evaluatorNode]);

const edge = z.strictObject({
  source: nodeName('The node that the edge leaves.', 'write'),
  target: nodeName('The node that the edge leads to.', 'judge'),
  condition: described(anyText().optional(), 'A label for people. It decides nothing.', 'on success'),
});

const topology = z.strictObject({
  entry_point: nodeName('The node with which a run begins.', 'write'),
  nodes: described(z.array(graphNode).min(1), 'The nodes.', [
    { type: 'agent', id: 'write', agent_ref: 'research.writer' },
  ]),
  edges: described(z.array(edge), 'What follows an agent or a person. Routers and evaluators have routes.', [
    { source: 'write', target: 'judge' },
  ]),
});

const state = z.strictObject({
  properties: described(anyMap, 'The keys of the board, with their JSON Schemas.', {
    draft: { type: 'string' },
  }),
  persistence: described(
    z.enum(['ephemeral', 'redis', 'postgres']).optional(),
    'Ignored: the board of a run is computed from its events. Absent: ephemeral.',
  ),
});

const policy = z.strictObject({
  max_retries: described(
    z.int().min(0).max(100).optional(),
    'How often a node that failed is tried again. Absent: 0.',
    2,
  ),
  timeout_seconds: described(
    z.int().min(1).max(MOST_SECONDS).optional(),
    'How many seconds a run may work. Waiting for people does not count. Absent: no limit.',
    600,
  ),
  execution_mode: described(
    z.enum(['sequential', 'parallel']).optional(),
    'Nodes run one after the other. parallel is noted, and changes nothing yet. Absent: sequential.',
  ),
});

export const graphRecipeDocument = z
  .strictObject({
    apiVersion,
    kind: described(z.literal('Recipe'), 'Recipe.'),
    metadata: described(metadata, 'The name, the version, and what else is known about the recipe.'),
    interface: described(sides.optional(), 'What a run is given, and what it answers.'),
    state: described(state.optional(), 'What is on the board.'),
    policy: described(policy.optional(), 'The limits of a run.'),
    topology: described(topology, 'The nodes and their order.'),
  })
  .meta({ title: 'graph recipe', description: 'Agents, people, routers and evaluators as a graph.' });

/** A graph recipe as written. */
export type GraphRecipe = z.infer<typeof graphRecipeDocument>;
export type GraphNode = z.infer<typeof graphNode>;
export type AgentNode = z.infer<typeof agentNode>;
export type HumanNode = z.infer<typeof humanNode>;
export type RouterNode = z.infer<typeof routerNode>;
export type EvaluatorNode = z.infer<typeof evaluatorNode>;
