/** Who shares the counters of budgets and of limits in other units, and in which order they are checked. */
import type { Action, BudgetLimit } from '@mandate/schemas';
import { BUDGET_SCOPES, TOTAL_BUDGET } from '@mandate/schemas/core';
import type { Policy } from '../mandate/mandate.ts';

type Scope = BudgetLimit['scope'];

/** A counter, the name of the policy that limits it, and the ancestor that has the policy. Both may be null. */
export type SharedCounter = {
  id: string;
  scope: Scope;
  windowMs: number | null;
  /**
   * Scope `mandate`: the id of the policy. Scope `agent`: the ancestor that has the policy, or empty. Other scopes:
   * empty.
   */
  owner: string;
  name: string | null;
  ancestor: string | null;
};

/** Adds the owner of the counter, and the policy that limits it. */
export function ofPolicy<T extends { scope: Scope }>(
  limit: T,
  policy: Policy,
): T & Pick<SharedCounter, 'owner' | 'name' | 'ancestor'> {
  const { name, ancestor } = policy;
  return { ...limit, owner: ownerOf(limit.scope, policy), name, ancestor };
}

function ownerOf(scope: Scope, { id, ancestor }: Policy): string {
  if (scope === 'agent') return ancestor ?? '';
  return scope === 'mandate' ? id : '';
}

export function counterOf({ scope, owner, id, windowMs }: SharedCounter): string {
  return JSON.stringify([scope, owner, id, windowMs]);
}

/**
 * Returns the rank of a counter in the order of checks: the agent's total first, then counters without a window before
 * counters with one, and narrow scopes before wide scopes.
 */
export function rankOf({ id, scope, windowMs }: SharedCounter): number {
  if (id === TOTAL_BUDGET) return -1;
  return (windowMs === null ? 0 : BUDGET_SCOPES.length) + BUDGET_SCOPES.indexOf(scope);
}

export function subjectOf(scope: Scope, action: Action, owner: string): string {
  if (scope === 'agent') return owner === '' ? action.agentId : owner;
  // Actions without a principal share one counter. Otherwise an agent could leave the principal out to get another
  // counter.
  if (scope === 'principal') return action.principal?.id ?? '';
  return owner;
}
