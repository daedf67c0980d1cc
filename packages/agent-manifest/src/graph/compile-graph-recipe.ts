/**
 * Compiles a graph recipe in the same way as a manifest with a workflow. The nodes become tools of the recipe's own
 * agent. A person must approve each visit of a human node. The agents of the nodes belong to other manifests, and the
 * documents of those manifests say what the agents may do.
 */
import type { PolicyDocument, ToolPolicyDocument } from '@mandate/schemas';
import type { GraphNode, GraphRecipe } from '@mandate/schemas/agent-manifest';
import { CAPS } from '@mandate/schemas/core';
import type { CompiledAgentManifest, CompileOptions, CompileRefused } from '../compile/compiled.ts';
import { leaseMsOf, ownAgent, ruleOf } from '../compile/control-documents.ts';
import { policyIdOf, slugOf } from '../compile/ids.ts';
import { collectRefusals, type Refuse } from '../compile/refusals.ts';
import { refuseIds, refuseOptions, refuseSizes } from '../compile/refuse-unusable.ts';
import { MOST_VISITS } from '../run/graph-plan.ts';

/** @param recipe a valid recipe */
export function compileGraphRecipe(
  recipe: GraphRecipe,
  options: CompileOptions = {},
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
  refuseOptions(id, options, refuse, { isGraph: true });
  refuseModelOptions(options, refuse);
  for (const [at, node] of topology.nodes.entries()) refuseRole(node, at, refuse);
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
    warnings: [],
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

const OF_MODELS_AND_TOOLS = ['defaultModel', 'unratedRisk', 'risk', 'usdPerEur'] as const;

/** A recipe has no models, tools and prices itself. */
function refuseModelOptions(options: CompileOptions, refuse: Refuse): void {
  for (const name of OF_MODELS_AND_TOOLS) {
    if (options[name] === undefined) continue;
    const message = 'has no meaning for a graph: give it where the manifests of its agents are published';
    refuse('COMPILE_OPTION_INVALID', `options.${name}`, message);
  }
}

/** The role that every person has who may answer a question: the API key needs the scope `operate`. */
const ANSWERING_ROLE = 'operator';

/** No other role can be required, because an approval contains no other fact about the person. */
function refuseRole(node: GraphNode, at: number, refuse: Refuse): void {
  if (node.type !== 'human' || (node.required_role ?? ANSWERING_ROLE) === ANSWERING_ROLE) return;
  const message = `is "${node.required_role}", and Mandate cannot check who has this role: every operator could answer. Write "${ANSWERING_ROLE}", or leave it out`;
  refuse('ROLE_UNCHECKED', `topology.nodes.${at}.required_role`, message);
}
