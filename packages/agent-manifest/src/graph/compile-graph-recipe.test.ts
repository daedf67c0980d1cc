import { expect, test } from 'vitest';
import { compileGraphRecipe } from './compile-graph-recipe.ts';
import { agent, evaluator, human, recipeOf } from './recipe.fixture.ts';

const recipe = recipeOf(
  {
    nodes: [
      agent('a'),
      evaluator('b'),
      human('c', { timeout_seconds: 60, required_role: 'operator' }),
      human('d'),
    ],
    edges: [
      ['a', 'b'],
      ['c', 'd'],
    ],
  },
  { metadata: { name: 'Ünder Review', version: '2.0' }, policy: { max_retries: 2, timeout_seconds: 600 } },
);

test('compiles the nodes to steps of one agent, and people to confirmations', () => {
  const lease = { executionLeaseMs: 600_000 };
  const tools = ['step.a', 'step.b', 'step.c', 'step.d'];
  const id = 'under-review';
  expect(compileGraphRecipe(recipe, { maxCostTotal: 5 })).toEqual({
    ok: true,
    agents: [
      {
        id,
        name: 'Ünder Review',
        groups: ['cam'],
        labels: { cam_kind: 'Recipe', cam_version: '2.0' },
      },
    ],
    policies: [
      {
        version: 1,
        id,
        allowedTools: tools,
        allowedModels: [],
        tools,
        toolPolicies: {
          'step.a': lease,
          'step.b': lease,
          'step.c': { requiresConfirmation: true, questionMs: 60_000, ...lease },
          'step.d': { requiresConfirmation: true, ...lease },
        },
        maxCostTotal: 5,
      },
    ],
    rules: [{ version: 1, id, policy: id, agents: [id] }],
    run: { attempts: 3, maxSteps: 50, timeoutMs: 600_000 },
    tools: {},
    confirm: [
      [id, 'step.c'],
      [id, 'step.d'],
    ],
    prices: {},
    throttle: {},
    warnings: [],
  });
});

test('tries a node once if the recipe has no policy, and accepts another id and another limit of visits', () => {
  expect(compileGraphRecipe(recipeOf({ nodes: [agent('a')] }), { id: 'g', mostVisits: 7 })).toMatchObject({
    agents: [{ id: 'g' }],
    run: { attempts: 1, maxSteps: 7 },
  });
});

test('refuses a recipe without an id, and options that no plane accepts', () => {
  const nodes = [agent('a')];
  expect(compileGraphRecipe(recipeOf({ nodes }, { metadata: { name: '名' } }))).toMatchObject({
    refusals: [{ code: 'COMPILE_ID_NEEDED', path: 'metadata.name' }],
  });
  expect(compileGraphRecipe(recipeOf({ nodes }), { id: 'g*', maxCostTotal: 0.123_456_7 })).toMatchObject({
    refusals: [{ code: 'COMPILE_ID_INVALID' }, { code: 'COMPILE_OPTION_INVALID' }],
  });
});

test('refuses options about models and tools, which a recipe does not have', () => {
  expect(compileGraphRecipe(recipeOf({ nodes: [agent('a')] }), { defaultModel: 'gpt-4o' })).toMatchObject({
    refusals: [{ code: 'COMPILE_OPTION_INVALID', path: 'options.defaultModel' }],
  });
});

test('refuses a role that Mandate cannot check, so that not everyone may answer', () => {
  const nodes = [human('a', { required_role: 'manager' }), human('b', { required_role: 'operator' })];
  expect(compileGraphRecipe(recipeOf({ nodes }))).toMatchObject({
    refusals: [{ code: 'ROLE_UNCHECKED', path: 'topology.nodes.0.required_role' }],
  });
});
