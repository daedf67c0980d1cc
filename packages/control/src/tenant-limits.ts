/**
 * The tenant limits as a policy. This policy is in every mandate of the tenant, and the tenant's own authors cannot
 * change it.
 */

import type { Mandate } from '@mandate/policy';
import { compilePolicy, missingPolicy, type NamedPolicy } from '@mandate/policy';
import type { Compiled } from '@mandate/policy/parts';
import { withTenantLimits } from '@mandate/policy/parts';
import {
  type BudgetLimit,
  type CounterUnit,
  type PolicyDocument,
  type TenantDocument,
  TOTAL_BUDGET,
} from '@mandate/schemas';
import type { OpenedTenant } from './revisioned.ts';

const compiled = new WeakMap<OpenedTenant, NamedPolicy>();
const limited = new WeakMap<NamedPolicy, WeakMap<Mandate, Mandate>>();

/** Returns the policy. Null if the tenant has no limits. Limits that cannot be compiled allow nothing. */
export function tenantLimitsOf(opened: OpenedTenant | null): NamedPolicy | null {
  if (opened === null) return null;
  const known = compiled.get(opened);
  if (known !== undefined) return known;
  const document = tenantLimitsDocument(opened.document);
  if (document === null) return null;
  const name = nameOfTenantLimits(opened);
  const read = compilePolicy(document, name, { isOnLog: true });
  const tenantLimits = read.ok ? { ...read.compiled, name } : missingPolicy(document.id, name);
  compiled.set(opened, tenantLimits);
  return tenantLimits;
}

/** Returns the problems of the tenant limits. */
export function compileTenantLimits(tenant: TenantDocument): Compiled<unknown> {
  const document = tenantLimitsDocument(tenant);
  const read: Compiled<unknown> =
    document === null ? { ok: true, compiled: null } : compilePolicy(document, null);
  if (read.ok) return read;
  return { ok: false, faults: read.faults.map((fault) => ({ ...fault, path: ['limits', ...fault.path] })) };
}

/** Returns the tenant limits as a policy document. Null if the tenant has none. */
export function tenantLimitsDocument({ id, limits }: TenantDocument): PolicyDocument | null {
  return limits === undefined ? null : { version: 1, id, ...limits };
}

/**
 * True if the tenant limits use this counter. Authors must not give back amounts on such a counter, because the
 * tenant limit would then have no effect.
 */
export function areCountedIn(
  opened: OpenedTenant | null,
  { scope, id, windowMs, unit }: Pick<BudgetLimit, 'scope' | 'id' | 'windowMs'> & { unit?: CounterUnit },
): boolean {
  const limits = tenantLimitsOf(opened);
  if (limits === null) return false;
  const { maxCostTotalMicros, budgets, unitLimits } = limits;
  const total = { scope: 'agent', id: TOTAL_BUDGET, windowMs: null };
  const ofMoney = maxCostTotalMicros === null ? budgets : [...budgets, total];
  const counted = unit === undefined ? ofMoney : unitLimits[unit];
  return counted.some((one) => one.scope === scope && one.id === id && one.windowMs === windowMs);
}

/**
 * Returns the name of the tenant limits in records. It contains a blank. Policy ids contain no blank, so no policy
 * has this name.
 */
export function nameOfTenantLimits({ document, revision }: OpenedTenant): string {
  return `tenant ${document.id}@${revision}`;
}

/** Does the same as `withTenantLimits`, and caches the result. For mandates that many actions share. */
export function withinTenantLimits(mandate: Mandate, tenantLimits: NamedPolicy | null): Mandate {
  if (tenantLimits === null) return mandate;
  const made = limited.get(tenantLimits) ?? new WeakMap<Mandate, Mandate>();
  limited.set(tenantLimits, made);
  const one = made.get(mandate) ?? withTenantLimits(mandate, tenantLimits);
  made.set(mandate, one);
  return one;
}
