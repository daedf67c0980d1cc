/**
 * The mandates that follow from what the control topic says: each agent that is registered is held to the policies of the
 * rules that match it, or, where an action names a mandate that was issued to it, to what that is made of; and to what those
 * above it hold. Documents are compiled once each, and rules are looked through anew where one of them or a policy has
 * changed, at its place on the log.
 */
import type { MandateInForce, MandatesInForce } from '../mandates-in-force.ts';
import { familiesInForce } from '../rules/families-in-force.ts';
import { COMPOSED, type RulesInForce, rulesInForce } from '../rules/rules-in-force.ts';
import { agentsAbove } from './agents-above.ts';
import { agentOf, policiesOf, ruleOf } from './compile-control.ts';
import type { ControlFold } from './control-state.ts';
import { issuedInForce } from './issued-in-force.ts';
import { inShadowOf, shadowOverIssued } from './shadow-over-issued.ts';
import type { TenantControl } from './tenant-control.ts';

const NONE: MandateInForce = { mandate: null, holdsFromMs: 0, holdsUntilMs: null };

/** Of one state of a tenant's rules and policies; `watching`: those in shadow, as if they were in force; null: none is. */
type RulesOf = {
  of: readonly [rulesRevision: number, policiesRevision: number];
  rules: RulesInForce;
  watching: RulesInForce | null;
};

export type MandatesUnderControl = MandatesInForce & {
  isRegistered(tenant: string, agentId: string): boolean;
  /** Who stands above it now, the nearest first. */
  above(tenant: string, agentId: string): readonly string[];
};

/** @param revision how much of the topic is in the fold now */
export function mandatesUnderControl(fold: ControlFold, revision: () => number): MandatesUnderControl {
  const families = familiesInForce();
  const tenants = new Map<string, RulesOf>();
  const issued = issuedInForce();
  const shadowOver = shadowOverIssued();

  function rulesOf(tenant: string, control: TenantControl): RulesOf {
    const known = tenants.get(tenant);
    const { rulesRevision, policiesRevision } = control;
    if (known?.of[0] === rulesRevision && known.of[1] === policiesRevision) return known;
    const all = [...control.rules.values()].map((kept) => ruleOf(kept));
    const watching = inShadowOf(all);
    const policyOf = policiesOf(control);
    const made = {
      of: [rulesRevision, policiesRevision] as const,
      rules: rulesInForce(all, policyOf),
      watching: watching.length === 0 ? null : rulesInForce(watching, policyOf),
    };
    tenants.set(tenant, made);
    return made;
  }

  function mandateFor(...[tenant, action, atMs]: Parameters<MandatesInForce['mandateFor']>): MandateInForce {
    const control = fold.tenant(tenant);
    const agent = control.agents.get(action.agentId);
    if (agent === undefined) return NONE;
    const { rules, watching } = rulesOf(tenant, control);
    const { document } = agent;
    // So decisions name what rules compose to, and an action may say that it counts on it.
    const { mandateId = COMPOSED } = action;
    if (mandateId === COMPOSED) {
      const own = rules.resolve(agentOf(agent), action, atMs);
      // Asked here, as most agents have nobody above them: it is no call that way.
      if (document.parent === undefined) return own;
      return families.within(own, agentsAbove(control.agents, document), rules, action, atMs);
    }
    const { asked, ...own } = issued(control, mandateId, action, atMs);
    if (asked === undefined) return own;
    const shadow = watching && shadowOver(own.mandate, watching.resolve(agentOf(agent), asked, atMs));
    const above = agentsAbove(control.agents, document);
    return { ...own, ...families.within({ ...own, shadow, matches: [] }, above, rules, asked, atMs) };
  }

  return {
    get revision() {
      return revision();
    },
    isRegistered: (tenant, agentId) => fold.tenant(tenant).agents.has(agentId),
    above(tenant, agentId) {
      const { agents } = fold.tenant(tenant);
      const agent = agents.get(agentId);
      return agent === undefined ? [] : agentsAbove(agents, agent.document).map(({ id }) => id);
    },
    mandateFor,
  };
}

/** Rules hold those agents that are registered, and a file all others. */
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
      askedLast = controlled.isRegistered(tenant, action.agentId) ? controlled : ofFile;
      return askedLast.mandateFor(tenant, action, atMs);
    },
  };
}
