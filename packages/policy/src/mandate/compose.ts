/**
 * Composes the policies that apply into one mandate: docs/semantics.md section 7. The mandate allows only what each
 * policy allows. Policies are never merged, because merging is error-prone. Instead every check runs for every policy
 * (checklist.ts). If several limits use one counter, the strictest applies (checks/budget.ts, checks/rate.ts).
 */

import type { GivenPolicy } from '@mandate/schemas';
import { DEFAULTS } from '@mandate/schemas/core';
import { digestOf } from '../digest.ts';
import type { Mandate, Policy } from './mandate.ts';

/** A published policy. Its name contains its version: `read-only@3`. */
export type NamedPolicy = Policy & { name: string };

/**
 * Composes a mandate. A policy that several rules grant is in observe mode only if all of them grant it in observe
 * mode.
 *
 * @param given the rules that granted each policy, for the record
 * @returns null if there are no policies: then no mandate applies, and nothing is allowed
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

/**
 * Adds the tenant limits to a mandate. No rule grants the tenant limits, and they are always enforced. So the new
 * mandate is not in observe mode.
 */
export function withTenantLimits(mandate: Mandate, tenantLimits: NamedPolicy | null): Mandate {
  if (tenantLimits === null) return mandate;
  const { reference, policies } = mandate;
  return {
    reference: {
      ...reference,
      hash: digestOf([reference.hash, tenantLimits.name, tenantLimits.hash]),
      policies: [...reference.policies, tenantLimits.name],
    },
    policies: [...policies, tenantLimits],
  };
}

/**
 * Returns a policy that allows nothing, in place of a policy that a rule names but that does not exist. So the rule
 * still restricts its agents.
 */
export function missingPolicy(id: string, name: string): NamedPolicy {
  return {
    id,
    name,
    ancestor: null,
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
    unitLimits: { tokens: [], toolCalls: [] },
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
    governance: null,
    defaultTokens: { input: null, maxOutput: null },
    registry: null,
    charging: { type: 'SUCCESS_BASED' },
    tools: new Map(),
  };
}
