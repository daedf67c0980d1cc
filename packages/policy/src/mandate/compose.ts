/**
 * Policies that match become one mandate: docs/semantics.md section 7. It allows what each of them allows, and nothing is merged
 * that could be got wrong: every check asks every policy (checklist.ts), and of limits that share a counter the strictest
 * stays (checks/budget.ts, checks/rate.ts).
 */

import type { GivenPolicy } from '@mandate/schemas';
import { DEFAULTS } from '@mandate/schemas/core';
import { digestOf } from '../digest.ts';
import type { Mandate, Policy } from './mandate.ts';

/** A policy that was published, and so has a version: `read-only@3`. */
export type NamedPolicy = Policy & { name: string };

/**
 * A policy that is given several times is observed only where each of them is.
 *
 * @param given which rules led to which of the policies; for the record
 * @returns null where there are no policies: then no mandate applies, and nothing is allowed
 */
export function compose(
  id: string,
  policies: readonly NamedPolicy[],
  given: readonly GivenPolicy[] = [],
): Mandate | null {
  const byName = new Map<string, NamedPolicy>();
  for (const policy of policies) {
    const { observe = true } = byName.get(policy.name) ?? {};
    byName.set(policy.name, { ...policy, observe: policy.observe && observe });
  }
  if (byName.size === 0) return null;
  const inOrder = [...byName.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const reference = {
    id,
    hash: digestOf(inOrder.map(({ name, hash, observe }) => [name, hash, observe])),
    rules: inOrderOnce(given.flatMap(({ rules }) => rules)),
    policies: inOrder.map(({ name }) => name),
    ...(given.length > 0 && { grantedBy: eachOnce(given) }),
  };
  return { reference, policies: inOrder };
}

function eachOnce(given: readonly GivenPolicy[]): GivenPolicy[] {
  const byPolicy = Map.groupBy(given, ({ policy }) => policy);
  return inOrderOnce([...byPolicy.keys()]).map((policy) => {
    const same = byPolicy.get(policy) ?? [];
    const claims = inOrderOnce(same.flatMap(({ claims = [] }) => claims));
    const rules = inOrderOnce(same.flatMap(({ rules }) => rules));
    return { policy, rules, ...(claims.length > 0 && { claims }) };
  });
}

function inOrderOnce(names: readonly string[]): string[] {
  return [...new Set(names)].toSorted();
}

/** The mandate, held to one more policy, which no rule gave: it is observed no more, for bounds never are. */
export function withBounds(mandate: Mandate, bounds: NamedPolicy | null): Mandate {
  if (bounds === null) return mandate;
  const { reference, policies } = mandate;
  return {
    reference: {
      ...reference,
      hash: digestOf([reference.hash, bounds.name, bounds.hash]),
      policies: [...reference.policies, bounds.name],
    },
    policies: [...policies, bounds],
  };
}

/** In the place of one that a rule names and that is not there: it allows nothing, so the rule does not vanish with it. */
export function missingPolicy(id: string, name: string): NamedPolicy {
  return {
    id,
    name,
    holder: null,
    hash: '',
    isMissing: true,
    observe: false,
    expiresAtMs: null,
    maxCostTotalMicros: null,
    maxCostPerCallMicros: null,
    maxActualMicros: null,
    releases: DEFAULTS.releases,
    requireEstimate: false,
    defaultEstimateMicros: null,
    maxOpen: null,
    budgets: [],
    rate: null,
    maxWaiting: null,
    allowedTools: null,
    delegableTools: null,
    deniedTools: null,
    allowedModels: null,
    deniedModels: null,
    allowedProviders: null,
    deniedProviders: null,
    modelPrices: null,
    defaultTokens: { input: null, maxOutput: null },
    registry: null,
    charging: { type: 'SUCCESS_BASED' },
    tools: new Map(),
  };
}
