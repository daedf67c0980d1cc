/** Compiles the documents of the control topic. Each is compiled once, because a document never changes. */

import type { AgentAttributes } from '@mandate/policy';
import {
  compileGlobs,
  compilePolicy,
  compileRule,
  missingPolicy,
  type NamedPolicy,
  type Rule,
} from '@mandate/policy';
import type { PolicyLookup } from '@mandate/policy/parts';
import type { AgentDocument, PolicyDocument, RuleDocument } from '@mandate/schemas';
import type { Revisioned } from './revisioned.ts';
import type { TenantControl } from './tenant-control.ts';

/**
 * Returns a lookup of the tenant's policies. An archived policy does not exist in the lookup, in any of its versions.
 */
export function policiesOf({ policies }: Pick<TenantControl, 'policies'>): PolicyLookup {
  return (id, version) => {
    const { versions = [], isArchived } = policies.get(id) ?? {};
    const number = version ?? versions.length;
    const kept = versions[number - 1];
    return kept === undefined || isArchived ? null : policyOf(kept, number);
  };
}

/** Compiles a version of a policy. A policy that cannot be compiled allows nothing. */
const policyOf = once((document: PolicyDocument, version: number): NamedPolicy => {
  const name = `${document.id}@${version}`;
  const read = compilePolicy(document, name, { isOnLog: true });
  return read.ok ? { ...read.compiled, name } : missingPolicy(document.id, name);
});

/** Returns the compiled rule, or the problems if the rule cannot be compiled. */
export const readRule = once((document: RuleDocument) => compileRule(document, { isOnLog: true }));

export const ruleOf = (kept: Revisioned<RuleDocument>): Rule => {
  const read = readRule(kept);
  return read.ok ? read.compiled : blockingRuleOf(kept);
};

/** Returns the attributes that rules can ask about. `requiresGrant` is not among them. */
export const agentOf = once(
  ({ requiresGrant, ...document }: AgentDocument): AgentAttributes => ({ ...document }),
);

function once<D, More extends unknown[], T>(
  make: (document: D, ...more: More) => T,
): (kept: Revisioned<D>, ...more: More) => T {
  const made = new WeakMap<Revisioned<D>, { one: T }>();
  return (kept, ...more) => {
    const known = made.get(kept);
    if (known !== undefined) return known.one;
    const one = make(kept.document, ...more);
    made.set(kept, { one });
    return one;
  };
}

/**
 * Returns the rule to use if this process cannot compile a rule of the log, although its writer could. It allows
 * nothing to the agents that the rule names.
 */
const blockingRuleOf = once(({ id, priority, mode, agents, groups }: RuleDocument): Rule => {
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
});
