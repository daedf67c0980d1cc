/** Previews what an agent could do under the current documents and planned changes. Nothing is changed. */

import { type Mandate, plan, type Resolved, rulesInForce } from '@mandate/policy';
import type { ContentFinders } from '@mandate/policy/governance';
import type { InShadow, RuleChange, RulesOfAgents } from '@mandate/policy/parts';
import {
  createDelegation,
  dutiesAt,
  grantRequired,
  noRuleMatches,
  stepBudgetsOfAction,
  tenantClosed,
  tooCostly,
} from '@mandate/policy/parts';
import {
  type Action,
  type AgentDocument,
  type Obligations,
  type Plan,
  type PolicyDocument,
  policyNamed,
  type RuleDocument,
} from '@mandate/schemas';
import { ancestorAgents, ancestorDocuments } from './ancestor-agents.ts';
import { agentOf, policiesOf, ruleOf } from './compile-control.ts';
import { grantRequiredBy } from './grant-required.ts';
import type { Revisioned } from './revisioned.ts';
import { type StandingRules, standingRules } from './standing-rules.ts';
import type { TenantControl } from './tenant-control.ts';
import { nameOfTenantLimits, tenantLimitsDocument, tenantLimitsOf } from './tenant-limits.ts';

export type Candidates = {
  agent: AgentDocument;
  action: Action;
  atMs: number;
  /** Planned rules. A planned rule replaces the rule with the same id, or is added. */
  rules: readonly RuleDocument[];
  /** Planned policies, each as if it were published now. */
  policies: readonly PolicyDocument[];
};

export type Preview = Resolved & {
  /**
   * The plan of the action, with the source of each limit. The spent amounts are unknown here, so they do not appear
   * in the plan.
   */
  plan: Plan;
  /** The plan as if the shadow rules were in force. Null if no shadow rule matches. */
  shadowPlan: Plan | null;
  /** The documents of the policies. Null for a policy that does not exist. */
  documents: ReadonlyMap<string, PolicyDocument | null>;
};

/** @param finders what finds personal data and profane words, as a decider has it */
export function previewMandate(
  control: TenantControl,
  candidates: Candidates,
  finders: ContentFinders,
): Preview {
  const { agent, action, atMs } = candidates;
  const { opened } = control;
  const policies = withPolicies(control, candidates.policies);
  const inForce = rulesInForce(
    standing(control).after(changesBy(control, candidates.rules)),
    policiesOf({ policies }),
    tenantLimitsOf(opened),
  );
  const candidate = asPlanned(agent);
  const stepBudgets = stepBudgetsOfAction();
  const own = inForce.resolve(agentOf(candidate), action, atMs, stepBudgets);
  const agents = { get: (id: string) => (id === agent.id ? candidate : control.agents.get(id)) };
  const ancestors = ancestorAgents(agents, agent);
  const resolved = createDelegation().resolve(own, ancestors, inForce, action, atMs, stepBudgets);
  const { shadow } = resolved;
  const requiredBy = grantRequiredBy(action.mandateId, agent, ancestorDocuments(agents, agent));
  const unlessRefused = (made: () => Plan) => {
    if (opened !== null && opened.closedAt !== null) return tenantClosed(opened.document.id, opened.closedAt);
    return requiredBy === null ? made() : grantRequired(action, requiredBy);
  };
  const planOf: PlanOf = (mandate, steps) =>
    plan(
      action,
      mandate,
      atMs,
      action,
      steps,
      finders,
      ancestors.map(({ id }) => id),
    );
  const named = new Set(resolved.matches.map(({ policy }) => policy));
  const documents = new Map([...named].map((name) => [name, documentOf({ policies }, name)]));
  const tenantLimits = opened && tenantLimitsDocument(opened.document);
  if (opened && tenantLimits && resolved.mandate) documents.set(nameOfTenantLimits(opened), tenantLimits);
  return {
    ...resolved,
    plan: unlessRefused(() =>
      resolved.tooCostly
        ? tooCostly(resolved.tooCostly)
        : resolved.mandate === null
          ? noRuleMatches(action)
          : planOf(resolved.mandate, resolved.steps),
    ),
    shadowPlan: shadow && unlessRefused(() => shadowPlanned(shadow, planOf)),
    documents,
  };
}

const known = new WeakMap<TenantControl['rules'], StandingRules>();

/**
 * Returns the current rules in the order of evaluation. The order is cached, because without the cache a preview
 * would spend most of its time on sorting.
 */
function standing(control: TenantControl): RulesOfAgents {
  const rules = known.get(control.rules) ?? standingRules();
  known.set(control.rules, rules);
  rules.follow(control);
  return rules.ofAgents;
}

function changesBy({ rules }: TenantControl, candidates: readonly RuleDocument[]): RuleChange[] {
  const byId = new Map(candidates.map((document) => [document.id, document]));
  return [...byId].map(([id, document]) => {
    const before = rules.get(id);
    return { before: before === undefined ? null : ruleOf(before), after: ruleOf(asPlanned(document)) };
  });
}

type PlanOf = (mandate: Mandate, steps: number | undefined) => Plan;

function shadowPlanned({ mandate, rules, steps }: InShadow, planOf: PlanOf): Plan {
  return mandate === null ? tooCostly({ rule: rules[0] ?? '' }) : planOf(mandate, steps);
}

/** Wraps a document that does not exist yet. Its revision is 0, which no stored document has. */
export function asPlanned<T>(document: T): Revisioned<T> {
  return { revision: 0, document };
}

/** Returns what an ALLOW of the plan would oblige to, as far as no ledger is needed. */
export function plannedObligations({ refusal, duties }: Plan, atMs: number): Obligations {
  return refusal === null && duties !== undefined ? dutiesAt(duties, atMs).obligations : {};
}

/** Returns the tenant with planned agents. Each replaces the agent with its id, or is added. */
export function withPlannedAgents(control: TenantControl, planned: readonly AgentDocument[]): TenantControl {
  if (planned.length === 0) return control;
  const agents = new Map(control.agents);
  for (const document of planned) agents.set(document.id, asPlanned(document));
  return { ...control, agents };
}

/** Returns the tenant with the planned changes applied. */
export function withCandidates(
  control: TenantControl,
  { rules, policies }: Pick<Candidates, 'rules' | 'policies'>,
): TenantControl {
  if (rules.length + policies.length === 0) return control;
  const all = new Map(control.rules);
  for (const document of rules) all.set(document.id, asPlanned(document));
  return { ...control, rules: all, policies: withPolicies(control, policies) };
}

function withPolicies(
  { policies }: TenantControl,
  candidates: readonly PolicyDocument[],
): TenantControl['policies'] {
  const all = new Map(policies);
  for (const document of candidates) {
    const { revision = 0, versions = [] } = all.get(document.id) ?? {};
    all.set(document.id, { revision, versions: [...versions, asPlanned(document)], isArchived: false });
  }
  return all;
}

/** @param name the policy and its version, as in a decision: `read-only@3` */
export function documentOf(
  { policies }: Pick<TenantControl, 'policies'>,
  name: string,
): PolicyDocument | null {
  const { id, version } = policyNamed(name);
  const { versions = [], isArchived = true } = policies.get(id) ?? {};
  if (isArchived || version === null) return null;
  return versions[version - 1]?.document ?? null;
}
