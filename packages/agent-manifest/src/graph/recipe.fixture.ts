/** Builds graph recipes for tests. */
import { type GraphRecipe, graphRecipeDocument } from '@mandate/schemas/agent-manifest';

type Parts = { nodes: readonly object[]; edges?: readonly (readonly [string, string])[]; entry?: string };

export function recipeOf({ nodes, edges = [], entry = 'a' }: Parts, others: object = {}): GraphRecipe {
  return graphRecipeDocument.parse({
    apiVersion: 'coreason.ai/v2',
    kind: 'Recipe',
    metadata: { name: 'G' },
    topology: { entry_point: entry, nodes, edges: edges.map(([source, target]) => ({ source, target })) },
    ...others,
  });
}

export const agent = (id: string, fields: object = {}) => ({
  type: 'agent',
  id,
  agent_ref: 'm.w',
  ...fields,
});

export const human = (id: string, fields: object = {}) => ({ type: 'human', id, prompt: 'ok?', ...fields });

export const router = (id: string, routes: object, default_route: string) => ({
  type: 'router',
  id,
  input_key: 'kind',
  routes,
  default_route,
});

export const evaluator = (id: string, fields: object = {}) => ({
  ...{ type: 'evaluator', id, target_variable: 'draft', evaluator_agent_ref: 'm.judge' },
  ...{ evaluation_profile: 'std', pass_threshold: 0.8, max_refinements: 1 },
  ...{ pass_route: 'c', fail_route: 'a', feedback_variable: 'critique' },
  ...fields,
});
