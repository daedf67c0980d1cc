/** The rules of a tenant, in the form that lint examines. */

import type { compileRule } from '@mandate/policy';
import { policyNamed, type RuleDocument } from '@mandate/schemas';
import { readRule } from '../compile-control.ts';
import type { TenantControl } from '../tenant-control.ts';
import type { LintBudget } from './lint-budget.ts';

/** A rule document, and the compiled rule. */
export type RuleRead = { document: RuleDocument; read: ReturnType<typeof compileRule> };

export type LintContext = { atMs: number; stepBudget: LintBudget };

export function rulesOf({ rules }: TenantControl): readonly RuleRead[] {
  return [...rules.values()].map((kept) => ({ document: kept.document, read: readRule(kept) }));
}

export function policyIdOf({ policy }: RuleDocument): string {
  return policyNamed(policy).id;
}

/**
 * Returns the policy version that a rule names. Undefined if the version does not exist or the policy is archived.
 */
export function meant({ policies }: TenantControl, { policy }: Pick<RuleDocument, 'policy'>) {
  const { id, version } = policyNamed(policy);
  const { versions = [], isArchived = false } = policies.get(id) ?? {};
  return isArchived ? undefined : versions[(version ?? versions.length) - 1];
}

/** True if the rule is in force now, or will be in force later. */
export function isAlive({ mode, endsAt }: RuleDocument, atMs: number): boolean {
  return mode !== 'shadow' && !isOver({ endsAt }, atMs);
}

export function isOver({ endsAt }: Pick<RuleDocument, 'endsAt'>, atMs: number): boolean {
  return endsAt !== undefined && Date.parse(endsAt) <= atMs;
}
