/** Finds budgets by the names that people use for them. */
import type { ControlDocuments } from '@mandate/control';
import type { MandateOfFile } from '@mandate/policy';
import { type BudgetLimit, TOTAL_BUDGET } from '@mandate/schemas';

export type NamedBudget = Pick<BudgetLimit, 'scope' | 'id' | 'windowMs' | 'ancestor'>;

/** Budgets that differ only in their subject count as one. */
export function budgetNamed<B extends NamedBudget>(
  name: string,
  budgets: readonly B[],
): { ok: true; budget: B } | { ok: false; message: string } {
  const meant = budgets.filter((budget) => namesOf(budget).includes(name));
  const [budget] = meant;
  if (budget !== undefined && meant.length === 1) return { ok: true, budget };
  const list = (of: readonly B[]) => [...new Set(of.map(fullName))].join(', ');
  return {
    ok: false,
    message:
      meant.length === 0
        ? `is no budget here; known: ${list(budgets) || 'none'}`
        : `may be any of ${list(meant)}`,
  };
}

function namesOf(budget: NamedBudget): readonly string[] {
  const { id, scope, windowMs } = budget;
  const names = [id, `${scope}/${id}`, ...(windowMs === null ? [] : [`${scope}/${id}/${windowMs}`])];
  return names.map((name) => name + whose(budget));
}

function fullName(budget: NamedBudget): string {
  const { id, scope, windowMs } = budget;
  if (id === TOTAL_BUDGET) return id + whose(budget);
  return (windowMs === null ? `${scope}/${id}` : `${scope}/${id}/${windowMs}`) + whose(budget);
}

/**
 * Returns the part of a budget's name that names the ancestor: `total of lead` is the total of the ancestor `lead`.
 */
function whose({ scope, ancestor }: NamedBudget): string {
  return scope === 'agent' && ancestor !== undefined ? ` of ${ancestor}` : '';
}

export type KnownBudget = NamedBudget & {
  /** The mandate of a budget with the scope `mandate`; otherwise empty. */
  mandateId: string;
};

/** Returns each counter that these mandates use, once. The agent's total is always included. */
export function knownBudgets(
  { policies }: Pick<ControlDocuments, 'policies'>,
  mandates: readonly MandateOfFile[],
): readonly KnownBudget[] {
  const total: KnownBudget = { scope: 'agent', id: TOTAL_BUDGET, windowMs: null, mandateId: '' };
  const ofPolicies = [...policies.values()].flatMap(({ id, budgets = [] }) =>
    budgets.map(({ windowMs = null, ...budget }) => ({ ...budget, windowMs, policyId: id })),
  );
  const ofMandates = mandates.flatMap(({ policies }) =>
    policies.flatMap(({ id, budgets }) => budgets.map((budget) => ({ ...budget, policyId: id }))),
  );
  const counters = new Map<string, KnownBudget>();
  for (const { scope, id, windowMs, policyId } of [...ofPolicies, ...ofMandates]) {
    const mandateId = scope === 'mandate' ? policyId : '';
    counters.set(JSON.stringify([scope, id, windowMs, mandateId]), { scope, id, windowMs, mandateId });
  }
  return [total, ...counters.values()];
}
