/**
 * The mandates that follow from what the control topic says: each agent that is registered is held to the policies of the
 * rules that match. Documents are compiled once each, and rules are looked through anew where one of them or a policy has
 * changed, at its place on the log.
 */
import type { AgentDocument, PolicyDocument, RuleDocument } from '@mandate/schemas';
import { compileGlobs } from '../glob.ts';
import { compilePolicy } from '../mandate/compile-mandate.ts';
import { missingPolicy, type NamedPolicy } from '../mandate/compose.ts';
import type { MandateInForce, MandatesInForce } from '../mandates-in-force.ts';
import { compileRule, type Rule } from '../rules/rule.ts';
import {
  type AgentAttributes,
  type PolicyLookup,
  type RulesInForce,
  rulesInForce,
} from '../rules/rules-in-force.ts';
import type { ControlFold, Kept, TenantControl } from './control-state.ts';

const NONE: MandateInForce = { mandate: null, holdsFromMs: 0, holdsUntilMs: null };

/** @param revision how much of the topic is in the fold now */
export function mandatesUnderControl(fold: ControlFold, revision: () => number): MandatesInForce {
  const compiled = compileOnce();
  const tenants = new Map<string, { of: readonly [number, number]; rules: RulesInForce }>();

  function rulesOf(tenant: string, control: TenantControl): RulesInForce {
    const known = tenants.get(tenant);
    const { rulesRevision, policiesRevision } = control;
    if (known?.of[0] === rulesRevision && known.of[1] === policiesRevision) return known.rules;
    const rules = rulesInForce(
      [...control.rules.values()].map(compiled.rule),
      policiesOf(control, compiled.policy),
    );
    tenants.set(tenant, { of: [rulesRevision, policiesRevision], rules });
    return rules;
  }

  function mandateFor(...[tenant, action, atMs]: Parameters<MandatesInForce['mandateFor']>): MandateInForce {
    const control = fold.tenant(tenant);
    const agent = control.agents.get(action.agentId);
    if (agent === undefined) return NONE;
    return rulesOf(tenant, control).resolve(compiled.agent(agent), action, atMs);
  }

  return {
    get revision() {
      return revision();
    },
    mandateFor,
  };
}

/** What is archived is no longer there, in whichever version. */
function policiesOf(
  { policies }: TenantControl,
  compiled: (kept: Kept<PolicyDocument>, version: number) => NamedPolicy,
): PolicyLookup {
  return (id, version) => {
    const { versions = [], isArchived } = policies.get(id) ?? {};
    const number = version ?? versions.length;
    const kept = versions[number - 1];
    return kept === undefined || isArchived ? null : compiled(kept, number);
  };
}

/** A document is the same for ever, so what is made of it is too. One that cannot be compiled allows nothing. */
function compileOnce() {
  const policies = new WeakMap<Kept<PolicyDocument>, NamedPolicy>();
  const rules = new WeakMap<Kept<RuleDocument>, Rule>();
  const agents = new WeakMap<Kept<AgentDocument>, AgentAttributes>();
  return {
    policy: (kept: Kept<PolicyDocument>, version: number) =>
      made(policies, kept, ({ id }) => {
        const name = `${id}@${version}`;
        const read = compilePolicy(kept.document, name);
        return read.ok ? { ...read.compiled, name } : missingPolicy(id, name);
      }),
    rule: (kept: Kept<RuleDocument>) =>
      made(rules, kept, (document) => {
        const read = compileRule(document);
        return read.ok ? read.compiled : blockingRule(document);
      }),
    agent: (kept: Kept<AgentDocument>) =>
      made(agents, kept, (document): AgentAttributes => ({ ...document })),
  };
}

function made<D, T>(all: WeakMap<Kept<D>, T>, kept: Kept<D>, make: (document: D) => T): T {
  const known = all.get(kept);
  if (known !== undefined) return known;
  const one = make(kept.document);
  all.set(kept, one);
  return one;
}

/** Whoever wrote it could read it, and we cannot: then nobody whom it names is allowed anything by it, whatever it asks. */
function blockingRule({ id, priority, mode, agents, groups }: RuleDocument): Rule {
  return {
    id,
    priority,
    policy: { id: `of rule ${id}`, version: null },
    mode: mode === 'shadow' ? mode : 'enforce',
    agents: agents === undefined ? null : compileGlobs(agents),
    groups: groups === undefined ? null : new Set(groups),
    conditions: [],
    startsAtMs: null,
    endsAtMs: null,
  };
}
