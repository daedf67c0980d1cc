/**
 * Composes the mandate of a sub-agent from its own mandate and the mandates of all its ancestors (docs/semantics.md
 * section 7). So the sub-agent is allowed no more than any of its ancestors. Its calls are counted in its own budgets
 * and rates, and in those of its ancestors.
 */
import type { GivenPolicy } from '@mandate/schemas';
import { digestOf } from '../digest.ts';
import { missingPolicy } from './compose.ts';
import type { Mandate, Policy } from './mandate.ts';

/** The mandate of an ancestor. If it is null, the descendants of the ancestor may do nothing either. */
export type AncestorMandate = { ancestor: string; mandate: Mandate | null };

/** @param ancestors the ancestors' mandates, the nearest ancestor first */
export function composeWithAncestors(own: Mandate, ancestors: readonly AncestorMandate[]): Mandate {
  const ofAncestors = (what: 'rules' | 'policies') =>
    ancestors.flatMap(({ ancestor, mandate }) =>
      (mandate?.reference[what] ?? []).map((name) => nameOf(name, ancestor)),
    );
  const given = [...(own.reference.grantedBy ?? []), ...ancestors.flatMap(givenTo)];
  const hashes = ancestors.map(({ ancestor, mandate }) => [ancestor, mandate?.reference.hash ?? null]);
  return {
    reference: {
      id: own.reference.id,
      hash: digestOf([own.reference.hash, hashes]),
      rules: [...own.reference.rules, ...ofAncestors('rules')],
      policies: [...own.reference.policies, ...ofAncestors('policies')],
      ...(given.length > 0 && { grantedBy: given }),
    },
    policies: [...own.policies, ...ancestors.flatMap(policiesOf)],
  };
}

function givenTo({ ancestor, mandate }: AncestorMandate): GivenPolicy[] {
  return (mandate?.reference.grantedBy ?? []).map(({ policy, rules, ...of }) => ({
    ...of,
    policy: nameOf(policy, ancestor),
    rules: rules.map((rule) => nameOf(rule, ancestor)),
  }));
}

function policiesOf({ ancestor, mandate }: AncestorMandate): Policy[] {
  if (mandate === null) return [{ ...missingPolicy(ancestor, ''), name: null, ancestor }];
  return mandate.policies.map((policy) => ({
    ...policy,
    name: policy.name === null ? null : nameOf(policy.name, ancestor),
    ancestor,
  }));
}

/**
 * Returns the name that records give to an ancestor's policy or rule. Ids contain no blank, so the name is unique.
 */
export function nameOf(name: string, ancestor: string): string {
  return `${name} of ${ancestor}`;
}
