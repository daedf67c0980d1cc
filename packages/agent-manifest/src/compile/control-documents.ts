/** The agents, policies and rules that a manifest becomes. */
import type { AgentDocument, PolicyDocument, ToolPolicyDocument } from '@mandate/schemas';
import type { AgentManifest } from '@mandate/schemas/agent-manifest';
import { CAPS } from '@mandate/schemas/core';
import type { CompileOptions, WrittenRule } from './compiled.ts';
import type { Member } from './family.ts';
import { policyIdOf } from './ids.ts';
import type { PolicyOfRisk } from './tool-policies.ts';
import type { CompiledStep } from './workflow-steps.ts';

const GROUPS = ['cam'];
const MINUTE_MS = 60_000;

export function ownAgent(
  id: string,
  { kind, metadata }: Pick<AgentManifest, 'kind' | 'metadata'>,
): AgentDocument {
  const { name, version = '0.1.0' } = metadata;
  return { id, name: firstUnits(name), groups: GROUPS, labels: { cam_kind: kind, cam_version: version } };
}

export function memberAgent(parent: string, member: Member): AgentDocument {
  return { id: member.id, name: firstUnits(member.name), groups: GROUPS, labels: labelsOf(member), parent };
}

/** The name of an agent must be shorter than a name in a manifest may be. */
function firstUnits(name: string): string {
  return name.length <= CAPS.idUnits ? name : name.slice(0, CAPS.idUnits).toWellFormed();
}

/** A member that is only a model has neither history nor skills. */
function labelsOf({ entry }: Member): AgentDocument['labels'] {
  const { capabilities = {}, context_strategy: strategy } = entry?.definition ?? {};
  const isModel = entry === null;
  return {
    cam_type: capabilities.type ?? (isModel ? 'atomic' : 'graph'),
    cam_delivery_mode: capabilities.delivery_mode ?? 'request_response',
    cam_history_support: capabilities.history_support ?? !isModel,
    cam_context_strategy: strategy ?? (isModel ? 'full' : 'hybrid'),
  };
}

/** `tools`: the tools of all agents. `registry`: these tools and the steps. All lists are sorted. */
type Names = { tools: string[]; registry: string[]; models: string[] };

/** The policy of the manifest's own agent: it may call the steps, and delegate all other tools. */
export function ownPolicy(
  id: string,
  { policy = {} }: AgentManifest,
  steps: readonly CompiledStep[],
  { tools, registry, models }: Names,
  { policyOf, maxCostTotal }: Pick<CompileOptions, 'maxCostTotal'> & { policyOf: PolicyOfRisk },
): PolicyDocument {
  const { timeout, human_in_the_loop: asksPeople } = policy;
  const executionLeaseMs = leaseMsOf(timeout);
  const policyOfStep = ({ type }: CompiledStep): ToolPolicyDocument => ({
    ...(type === 'logic' && policyOf(null)),
    ...(asksPeople === true && type !== 'switch' && { requiresConfirmation: true }),
    executionLeaseMs,
  });
  const toolPolicies = steps.map((step) => [step.tool, policyOfStep(step)] as const);
  return {
    version: 1,
    id: policyIdOf(id),
    allowedTools: steps.map(({ tool }) => tool).sort(),
    allowedModels: models,
    tools: registry,
    ...(toolPolicies.length > 0 && { toolPolicies: Object.fromEntries(toolPolicies) }),
    ...(tools.length > 0 && { delegableTools: tools }),
    ...(maxCostTotal !== undefined && { maxCostTotal }),
  };
}

/** A step may run as long as a run may. */
export function leaseMsOf(timeoutSeconds: number | undefined): number {
  return timeoutSeconds === undefined ? CAPS.leaseMs : Math.min(timeoutSeconds * 1_000, CAPS.leaseMs);
}

/**
 * The policy of a member: it may call its own tools with its own model, and nothing else.
 *
 * @param registry null: the registry in the policy of the parent suffices
 */
export function memberPolicy(
  { id, model, tools }: Member,
  policyOf: PolicyOfRisk,
  registry: string[] | null,
): PolicyDocument {
  const toolPolicies = tools
    .map(({ tool: { name, risk, inline } }): [string, ToolPolicyDocument] => {
      const policy = policyOf(risk);
      if (inline === null) return [name, policy];
      return [name, { ...policy, argumentValidation: { schema: inline.parameters } }];
    })
    .filter(([, policy]) => Object.keys(policy).length > 0);
  return {
    version: 1,
    id: policyIdOf(id),
    allowedTools: tools.map(({ tool }) => tool.name).sort(),
    allowedModels: model === null ? [] : [model],
    ...(registry !== null && { tools: registry }),
    ...(toolPolicies.length > 0 && { toolPolicies: Object.fromEntries(toolPolicies) }),
  };
}

export function ruleOf(agentId: string): WrittenRule {
  const id = policyIdOf(agentId);
  return { version: 1, id, policy: id, agents: [agentId] };
}

/** The limit of model calls a minute is a separate policy, because its rule matches model calls only. */
export function modelRateOf({ id, entry }: Member): { policy: PolicyDocument; rule: WrittenRule } | null {
  const maxCalls = entry?.definition.resources?.constraints?.rate_limit_rpm;
  if (maxCalls === undefined) return null;
  const rateId = `${policyIdOf(id)}.rpm`;
  const when = { field: 'action.type', op: '==', value: 'llm_call' } as const;
  return {
    policy: { version: 1, id: rateId, rateLimit: { maxCalls, windowMs: MINUTE_MS } },
    rule: { version: 1, id: rateId, policy: rateId, agents: [id], when },
  };
}
