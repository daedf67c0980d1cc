/**
 * What an agent may do, as far as it is known without an action: the rules that name the agent or one of its
 * ancestors, and the policies that these rules give. A rule with a condition may not match every action.
 */
import type { Rule } from '@mandate/policy';
import { inOrder, isInForce } from '@mandate/policy/parts';
import type { AgentDocument, PolicyDocument } from '@mandate/schemas';
import { isNamed } from './almost-matching-rules.ts';
import { ancestorAgents } from './ancestor-agents.ts';
import { agentOf } from './compile-control.ts';
import type { Revisioned } from './revisioned.ts';
import { rulesFor } from './rules-for.ts';
import type { TenantControl } from './tenant-control.ts';
import { nameOfTenantLimits, tenantLimitsDocument } from './tenant-limits.ts';

type EffectiveRule = {
  rule: string;
  revision: number;
  mode: Rule['mode'];
  /** The policy with its version. Without a version if the policy does not exist. */
  policy: string;
  /** The ancestor that the rule names. Null: it names the agent itself. */
  ancestor: string | null;
  isConditional: boolean;
};

export type Effective = {
  status: 'registered' | 'retired' | 'unregistered';
  agent: Revisioned<AgentDocument> | null;
  isTenantClosed: boolean;
  /** The ancestors, the nearest first. */
  ancestors: readonly string[];
  rules: readonly EffectiveRule[];
  /** False if there are more rules than the list has. */
  isComplete: boolean;
  /** The policies of these rules and the tenant limits, by their names. Null: the policy does not exist. */
  policies: ReadonlyMap<string, Revisioned<PolicyDocument> | null>;
};

/** At most this many rules are returned, in their order. */
const MOST_RULES = 1_000;

export function effectiveOf(control: TenantControl, agentId: string, atMs: number): Effective {
  const agent = control.agents.get(agentId) ?? null;
  const { opened } = control;
  const isTenantClosed = opened !== null && opened.closedAt !== null;
  if (agent === null) {
    const status = control.retired.has(agentId) ? 'retired' : 'unregistered';
    const nothing = { ancestors: [], rules: [], isComplete: true, policies: new Map() };
    return { status, agent, isTenantClosed, ...nothing };
  }
  const ancestors = ancestorAgents(control.agents, agent.document);
  const policies = new Map<string, Revisioned<PolicyDocument> | null>();
  const rules: EffectiveRule[] = [];
  let isComplete = true;
  for (const { ancestor, attributes } of [
    { ancestor: null, attributes: agentOf(agent) },
    ...ancestors.map((one) => ({ ancestor: one.id, attributes: one.agent })),
  ]) {
    if (attributes === null) continue;
    for (const rule of inOrder(rulesFor(control)(attributes.groups))) {
      if (!isNamed(rule, attributes) || !isInForce(rule, atMs)) continue;
      if (rules.length === MOST_RULES) {
        isComplete = false;
        break;
      }
      const given = policyGiven(control, rule);
      policies.set(given.name, given.policy);
      rules.push({
        rule: rule.id,
        revision: control.rules.get(rule.id)?.revision ?? 0,
        mode: rule.mode,
        policy: given.name,
        ancestor,
        isConditional: rule.conditions.length > 0,
      });
    }
  }
  const limits = opened && tenantLimitsDocument(opened.document);
  if (opened && limits)
    policies.set(nameOfTenantLimits(opened), { revision: opened.revision, document: limits });
  return {
    ...{ status: 'registered', agent, isTenantClosed },
    ancestors: ancestors.map(({ id }) => id),
    ...{ rules, isComplete, policies },
  };
}

/** Returns the name of the policy with its version, and the version. */
function policyGiven({ policies }: TenantControl, { policy: { id, version } }: Rule) {
  const { versions = [], isArchived = true } = policies.get(id) ?? {};
  const number = version ?? versions.length;
  const policy = isArchived ? undefined : versions[number - 1];
  const name = number === 0 ? id : `${id}@${number}`;
  return { name, policy: policy ?? null };
}
