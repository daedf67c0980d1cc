/**
 * Finds the mandate of each agent, from the records of the control topic. A registered agent is under the policies of
 * the rules that match the agent. If an action names a grant, the sources of the grant replace these policies. The
 * policies of the agent's ancestors and the tenant limits apply too. Each document is compiled once. The rules are
 * evaluated again after a change of a rule, a policy or the tenant.
 */

import type { Mandate, MandatesInForce, SensitiveFields } from '@mandate/policy';
import { type Resolved, type RulesInForce, rulesInForce } from '@mandate/policy';
import type { MandateInForce } from '@mandate/policy/parts';
import {
  agentRetired,
  COMPOSED,
  createDelegation,
  grantRequired,
  noRuleMatches,
  type StepBudgets,
  stepBudgetsOfAction,
  tenantClosed,
  tooCostly,
} from '@mandate/policy/parts';
import type { Action, BudgetLimit, Plan, QuotasInForce } from '@mandate/schemas';
import { ancestorAgents, ancestorDocuments } from './ancestor-agents.ts';
import { agentOf, policiesOf } from './compile-control.ts';
import type { ControlFold } from './control-state.ts';
import { ancestorsOf, formerAncestorsOf } from './former-ancestors.ts';
import { grantRequiredBy } from './grant-required.ts';
import { grantsInForce } from './grants-in-force.ts';
import { quotasOf } from './quotas.ts';
import { sensitiveFieldsOf } from './sensitive-fields.ts';
import { shadowOverGrant } from './shadow-over-grant.ts';
import { type StandingRules, standingRules } from './standing-rules.ts';
import type { TenantControl } from './tenant-control.ts';
import { areCountedIn, tenantLimitsOf, withinTenantLimits } from './tenant-limits.ts';

const NONE: MandateInForce = { mandate: null, holdsFromMs: 0, holdsUntilMs: null };

/**
 * The rules and policies of a tenant at one revision. `watching`: the shadow rules as if they were in force, or null
 * if there are none.
 */
type RulesOf = {
  of: readonly [rulesRevision: number, policiesRevision: number];
  opened: TenantControl['opened'];
  standing: StandingRules;
  rules: RulesInForce;
  watching: RulesInForce | null;
};

export type MandatesUnderControl = MandatesInForce & {
  /**
   * True if the agent is not registered, and was never registered as far as the state shows. Rules do not apply to
   * such an agent.
   */
  isUnknown(tenant: string, agentId: string): boolean;
  /** Returns the current ancestors of the agent and its former ancestors. */
  ancestryOf(tenant: string, agentId: string): Required<Pick<Plan, 'ancestors' | 'formerAncestors'>>;
  /** True if the tenant is closed. A closed tenant allows nothing to any agent. */
  isClosed(tenant: string): boolean;
  /** True if people of the tenant may not answer for actions that they asked for. */
  forbidsOwnApproval(tenant: string): boolean;
  /** True if the tenant limits contain a budget with the same counter as this budget. */
  isOfTenantLimits(tenant: string, budget: Pick<BudgetLimit, 'scope' | 'id' | 'windowMs'>): boolean;
  /** The quotas of the tenant. */
  quotas(tenant: string): QuotasInForce;
  /** The fields that policies of the tenant hide. The same object as long as the policies do not change. */
  sensitiveFields(tenant: string): SensitiveFields;
  /** Adds the tenant limits to a mandate that does not come from rules or grants. */
  within(tenant: string, mandate: Mandate): Mandate;
};

/** @param revision returns the number of records that were applied so far */
export function mandatesUnderControl(fold: ControlFold, revision: () => number): MandatesUnderControl {
  const delegation = createDelegation();
  const tenants = new Map<string, RulesOf>();
  const issued = grantsInForce();
  const fieldsOf = sensitiveFieldsOf();
  const shadowOver = shadowOverGrant();

  function rulesOf(tenant: string, control: TenantControl): RulesOf {
    const known = tenants.get(tenant);
    const { rulesRevision, policiesRevision, opened } = control;
    if (known?.of[0] === rulesRevision && known.of[1] === policiesRevision && known.opened === opened)
      return known;
    const standing = known?.standing ?? standingRules();
    if (known?.of[0] !== rulesRevision) standing.follow(control);
    const policyOf = policiesOf(control);
    const tenantLimits = tenantLimitsOf(opened);
    const made = {
      of: [rulesRevision, policiesRevision] as const,
      ...{ opened, standing },
      rules: rulesInForce(standing.ofAgents, policyOf, tenantLimits),
      watching: standing.areWatching ? rulesInForce(standing.watching, policyOf, tenantLimits) : null,
    };
    tenants.set(tenant, made);
    return made;
  }

  function mandateFor(...[tenant, action, atMs]: Parameters<MandatesInForce['mandateFor']>): MandateInForce {
    const held = heldBy(tenant, action, atMs);
    const control = fold.tenant(tenant);
    const highest = held.ancestors?.at(-1);
    const isWhole = highest === undefined || control.agents.has(highest);
    // A fast path, because almost no agent has a retired or former ancestor.
    if (isWhole && control.departures.size === 0) return held;
    const formerAncestors = formerAncestorsOf(control, action.agentId);
    return {
      ...held,
      ...(!isWhole && { ancestors: [...ancestorsOf(control, action.agentId)] }),
      ...(formerAncestors.length > 0 && { formerAncestors }),
    };
  }

  function heldBy(...[tenant, action, atMs]: Parameters<MandatesInForce['mandateFor']>): MandateInForce {
    const control = fold.tenant(tenant);
    const closedAt = control.opened?.closedAt ?? null;
    if (closedAt !== null) return { ...NONE, refused: tenantClosed(tenant, closedAt) };
    const agent = control.agents.get(action.agentId);
    if (agent === undefined) {
      const retired = control.retired.get(action.agentId);
      return retired === undefined ? NONE : { ...NONE, refused: agentRetired(action, retired.document.at) };
    }
    const { rules, watching } = rulesOf(tenant, control);
    const { document } = agent;
    const stepBudgets = stepBudgetsOfAction();
    // If an action names no grant, its mandate is composed from rules and has the id COMPOSED. An action may also
    // state this id.
    const { mandateId = COMPOSED } = action;
    const requiredBy = grantRequiredBy(mandateId, document, ancestorDocuments(control.agents, document));
    if (requiredBy !== null) return { ...NONE, refused: grantRequired(action, requiredBy) };
    if (mandateId === COMPOSED) {
      const own = rules.resolve(agentOf(agent), action, atMs, stepBudgets);
      // A shortcut for agents without a parent, because most agents have none.
      if (document.parent === undefined) return byRules(own, action);
      return byRules(
        delegation.resolve(own, ancestorAgents(control.agents, document), rules, action, atMs, stepBudgets),
        action,
      );
    }
    const { asked, ...own } = issued(control, mandateId, action, atMs, stepBudgets);
    if (asked === undefined) return own;
    const shadow =
      watching &&
      shadowOver(own.mandate, watching.resolve(agentOf(agent), asked, atMs, ofShadow(stepBudgets)));
    const ancestors = ancestorAgents(control.agents, document);
    const held = { steps: 0, ...own, shadow, matches: [] };
    return { ...own, ...known(delegation.resolve(held, ancestors, rules, asked, atMs, stepBudgets)) };
  }

  return {
    get revision() {
      return revision();
    },
    isUnknown(tenant, agentId) {
      const { agents, retired } = fold.tenant(tenant);
      return !agents.has(agentId) && !retired.has(agentId);
    },
    ancestryOf(tenant, agentId) {
      const control = fold.tenant(tenant);
      return {
        ancestors: [...ancestorsOf(control, agentId)],
        formerAncestors: formerAncestorsOf(control, agentId),
      };
    },
    isClosed: (tenant) => (fold.tenant(tenant).opened?.closedAt ?? null) !== null,
    forbidsOwnApproval: (tenant) => fold.tenant(tenant).opened?.document.forbidsOwnApproval === true,
    isOfTenantLimits: (tenant, budget) => areCountedIn(fold.tenant(tenant).opened, budget),
    quotas: (tenant) => quotasOf(fold.tenant(tenant)),
    sensitiveFields: (tenant) => fieldsOf(tenant, fold.tenant(tenant)),
    within: (tenant, mandate) => withinTenantLimits(mandate, tenantLimitsOf(fold.tenant(tenant).opened)),
    mandateFor,
  };
}

/**
 * Returns the resolved mandate. If the step budget was exceeded, the result allows nothing, and its refusal says why.
 */
function known(resolved: Resolved): MandateInForce {
  return resolved.tooCostly === undefined
    ? resolved
    : { ...resolved, refused: tooCostly(resolved.tooCostly) };
}

function byRules(resolved: Resolved, action: Action): MandateInForce {
  const held = known(resolved);
  return held.mandate === null && !held.refused ? { ...held, refused: noRuleMatches(action) } : held;
}

/**
 * Returns step budgets in which the budget of shadow rules is used for all rules. Shadow rules are then evaluated as
 * if they were in force.
 */
function ofShadow({ shadow }: StepBudgets): StepBudgets {
  return { enforced: shadow, shadow };
}

/**
 * Agents that are or were registered get their mandates from rules. All other agents get them from the mandate file,
 * within the tenant limits. A closed tenant allows nothing.
 */
export function mandatesByRegister(
  controlled: MandatesUnderControl,
  ofFile: MandatesInForce,
): MandatesInForce {
  let askedLast = ofFile;
  return {
    get revision() {
      return askedLast.revision;
    },
    mandateFor(tenant, action, atMs) {
      const isOfFile = controlled.isUnknown(tenant, action.agentId) && !controlled.isClosed(tenant);
      askedLast = isOfFile ? ofFile : controlled;
      const held = askedLast.mandateFor(tenant, action, atMs);
      if (!isOfFile || held.mandate === null) return held;
      const mandate = controlled.within(tenant, held.mandate);
      return mandate === held.mandate ? held : { ...held, mandate };
    },
  };
}
