/**
 * Compiles a manifest to the documents that the control service knows, and to the limits that only the runner can
 * enforce.
 *
 * The manifest becomes one agent. The agents in the manifest become children of this agent, so one budget and one kill
 * apply to all of them. The steps become tools of the manifest's own agent, which calls no other tool. Each child may
 * call the tools that it names, and nothing else.
 */
import type { PolicyDocument } from '@mandate/schemas';
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import { catalogOf } from '../catalog.ts';
import type { CompiledAgentManifest, CompileOptions, CompileRefused } from './compiled.ts';
import { memberAgent, memberPolicy, modelRateOf, ownAgent, ownPolicy, ruleOf } from './control-documents.ts';
import { familyOf, type Member } from './family.ts';
import { slugOf } from './ids.ts';
import { collectRefusals } from './refusals.ts';
import { refuseIds, refuseOptions, refuseSchemas, refuseSizes } from './refuse-unusable.ts';
import { runLimits, throttleOf } from './runner-limits.ts';
import { policiesOfRisk } from './tool-policies.ts';
import { compiledTools } from './tools.ts';
import { compiledStepsOf } from './workflow-steps.ts';

/**
 * The policies of members repeat the names of all tools, up to this many names together. Above this number, only the
 * policy of the manifest's own agent contains the names. They apply to the members too, because that agent is their
 * parent. So the size of all documents grows only in proportion to the manifest.
 */
const MOST_REPEATED = 20_000;

/** @param manifest a valid manifest. A name in a step that no agent has is a model. */
export function compileAgentManifest(
  manifest: AgentManifest,
  options: CompileOptions = {},
): CompiledAgentManifest | CompileRefused {
  const { refusals, refuse } = collectRefusals();
  const id = options.id ?? slugOf(manifest.metadata.name);
  if (id === null) {
    refuse('COMPILE_ID_NEEDED', 'metadata.name', 'has no letter from a to z and no digit: give an id');
    return { ok: false, refusals };
  }
  const catalog = catalogOf(manifest);
  const steps = compiledStepsOf(manifest, catalog);
  const { members, warnings } = familyOf(id, { catalog, steps }, options, refuse);
  const byName = compiledTools(members, steps, refuse);
  const tools = [...byName.keys()].sort();
  const registry = [...tools, ...steps.map(({ tool }) => tool)].sort();
  const models = [...new Set(members.flatMap(({ model }) => model ?? []))].sort();
  const rates = members.map(modelRateOf);
  const policies = 1 + members.length + rates.filter((rate) => rate !== null).length;
  refuseOptions(id, options, refuse);
  refuseIds({ members, steps }, refuse);
  refuseSizes({ tools: registry.length, models: models.length, policies }, refuse);
  if (refusals.length > 0) return { ok: false, refusals };

  const policyOf = policiesOfRisk(options, manifest.policy?.human_in_the_loop === true);
  const { maxCostTotal } = options;
  const own = ownPolicy(id, manifest, steps, { tools, registry, models }, { policyOf, maxCostTotal });
  const isRepeated = members.length * registry.length <= MOST_REPEATED;
  const each = members.map((member, at) => {
    const policy = memberPolicy(member, policyOf, isRepeated ? registry : null);
    refuseSchemas(member, policy, refuse);
    const rate = rates[at] ?? null;
    return { member, policies: rate === null ? [policy] : [policy, rate.policy], rate };
  });
  if (refusals.length > 0) return { ok: false, refusals };
  return {
    ok: true,
    agents: [ownAgent(id, manifest), ...members.map((member) => memberAgent(id, member))],
    policies: [own, ...each.flatMap(({ policies }) => policies)],
    rules: [
      ruleOf(id),
      ...each.flatMap(({ member, rate }) => [ruleOf(member.id), ...(rate ? [rate.rule] : [])]),
    ],
    run: runLimits(manifest),
    tools: Object.fromEntries(byName),
    confirm: confirmed([[id, [own]], ...each.map(({ member, policies }) => [member.id, policies] as const)]),
    prices: byAgent(members, ({ price }) => price),
    throttle: byAgent(members, throttleOf),
    warnings,
  };
}

type PoliciesOf = readonly [agentId: string, policies: readonly PolicyDocument[]];

/** Returns each pair of an agent and a tool for which a person is asked. */
function confirmed(each: readonly PoliciesOf[]): [agentId: string, tool: string][] {
  return each
    .toSorted(([one], [other]) => compare(one, other))
    .flatMap(([agentId, policies]) =>
      policies
        .flatMap(({ toolPolicies = {} }) => Object.entries(toolPolicies))
        .flatMap(([tool, { requiresConfirmation }]) => (requiresConfirmation === true ? [tool] : []))
        .sort()
        .map((tool): [string, string] => [agentId, tool]),
    );
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function byAgent<Of>(members: readonly Member[], of: (member: Member) => Of | null): Record<string, Of> {
  const found = members.flatMap((member) => {
    const value = of(member);
    return value === null ? [] : [[member.id, value] as const];
  });
  return Object.fromEntries(found);
}
