/**
 * Compiles a graph recipe as a manifest with a workflow is compiled. The nodes are tools of the recipe's own agent. A
 * person confirms each visit of a human node: the question is an approval. The agents of the nodes belong to other
 * manifests, whose documents say what they may do.
 */
import type { PolicyDocument, ToolPolicyDocument } from '@mandate/schemas';
import type { GraphNode, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { CAPS } from '@mandate/schemas/core';
import type {
  CompiledAgentManifest,
  CompileOptions,
  CompileRefused,
  CompileWarning,
} from '../compile/compiled.ts';
import { leaseMsOf, ownAgent, ruleOf } from '../compile/control-documents.ts';
import { policyIdOf, slugOf } from '../compile/ids.ts';
import { collectRefusals } from '../compile/refusals.ts';
import { refuseIds, refuseOptions, refuseSizes } from '../compile/refuse-unusable.ts';
import { MOST_VISITS } from './walk-graph.ts';

/** The options that matter for a recipe. It has no models, tools and prices of its own. */
export type CompileGraphOptions = Pick<CompileOptions, 'id' | 'maxCostTotal'> & {
  /** How many nodes a run visits at most. Absent: 50. */
  mostVisits?: number | undefined;
};

/** @param recipe a valid recipe */
export function compileGraphRecipe(
  recipe: GraphRecipe,
  options: CompileGraphOptions = {},
): CompiledAgentManifest | CompileRefused {
  const { metadata, policy = {}, topology } = recipe;
  const { refusals, refuse } = collectRefusals();
  const id = options.id ?? slugOf(metadata.name);
  if (id === null) {
    refuse('COMPILE_ID_NEEDED', 'metadata.name', 'has no letter from a to z and no digit: give an id');
    return { ok: false, refusals };
  }
  const steps = topology.nodes.map((node, at) => ({
    tool: `step.${node.id}`,
    path: `topology.nodes.${at}`,
    policy: policyOfNode(node, policy.timeout_seconds),
  }));
  refuseOptions(id, options, refuse);
  refuseIds({ members: [], steps }, refuse);
  refuseSizes({ tools: steps.length, models: 0, policies: 1 }, refuse);
  if (refusals.length > 0) return { ok: false, refusals };

  const tools = steps.map(({ tool }) => tool).sort();
  const { maxCostTotal, mostVisits = MOST_VISITS } = options;
  const own: PolicyDocument = {
    version: 1,
    id: policyIdOf(id),
    allowedTools: tools,
    allowedModels: [],
    tools,
    toolPolicies: Object.fromEntries(steps.map(({ tool, policy: ofStep }) => [tool, ofStep])),
    ...(maxCostTotal !== undefined && { maxCostTotal }),
  };
  const asking = steps.filter(({ policy: ofStep }) => ofStep.requiresConfirmation === true);
  return {
    ok: true,
    agents: [ownAgent(id, recipe)],
    policies: [own],
    rules: [ruleOf(id)],
    run: {
      attempts: 1 + (policy.max_retries ?? 0),
      maxSteps: mostVisits,
      ...(policy.timeout_seconds !== undefined && { timeoutMs: policy.timeout_seconds * 1_000 }),
    },
    tools: {},
    confirm: asking.map(({ tool }): [string, string] => [id, tool]).sort(([, a], [, b]) => (a < b ? -1 : 1)),
    prices: {},
    throttle: {},
    warnings: topology.nodes.flatMap(roleWarning),
  };
}

function policyOfNode(node: GraphNode, timeoutSeconds: number | undefined): ToolPolicyDocument {
  const lease = { executionLeaseMs: leaseMsOf(timeoutSeconds) };
  if (node.type !== 'human') return lease;
  const { timeout_seconds: seconds } = node;
  return {
    requiresConfirmation: true,
    ...(seconds !== undefined && { questionMs: Math.min(seconds * 1_000, CAPS.questionMs) }),
    ...lease,
  };
}

/** An approval knows the key with which a person answered, but not the role of the person. */
function roleWarning(node: GraphNode, at: number): CompileWarning[] {
  if (node.type !== 'human' || node.required_role === undefined) return [];
  return [
    {
      code: 'ROLE_KEPT_BY_RUNNER',
      path: `topology.nodes.${at}.required_role`,
      message: 'is kept by the runner alone, because an approval does not know the role of the person',
    },
  ];
}
