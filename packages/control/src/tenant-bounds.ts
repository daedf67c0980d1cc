/** What a tenant is held to, whatever its authors write: one more policy of every mandate in it. */

import type { Mandate } from '@mandate/policy';
import { compilePolicy, missingPolicy, type NamedPolicy } from '@mandate/policy';
import type { Compiled } from '@mandate/policy/parts';
import { withBounds } from '@mandate/policy/parts';
import { type BudgetLimit, type PolicyDocument, type TenantDocument, TOTAL_BUDGET } from '@mandate/schemas';
import type { OpenedTenant } from './kept.ts';

const compiled = new WeakMap<OpenedTenant, NamedPolicy>();
const bounded = new WeakMap<NamedPolicy, WeakMap<Mandate, Mandate>>();

/** null: nothing. Bounds that cannot be compiled allow nothing. */
export function boundsOf(opened: OpenedTenant | null): NamedPolicy | null {
  if (opened === null) return null;
  const known = compiled.get(opened);
  if (known !== undefined) return known;
  const document = boundsDocument(opened.document);
  if (document === null) return null;
  const name = nameOfBounds(opened);
  const read = compilePolicy(document, name, { isOnLog: true });
  const bounds = read.ok ? { ...read.compiled, name } : missingPolicy(document.id, name);
  compiled.set(opened, bounds);
  return bounds;
}

/** What is amiss in them. */
export function compileBounds(tenant: TenantDocument): Compiled<unknown> {
  const document = boundsDocument(tenant);
  const read: Compiled<unknown> =
    document === null ? { ok: true, compiled: null } : compilePolicy(document, null);
  if (read.ok) return read;
  return { ok: false, faults: read.faults.map((fault) => ({ ...fault, path: ['bounds', ...fault.path] })) };
}

/** As a policy of its own; null where there are none. */
export function boundsDocument({ id, bounds }: TenantDocument): PolicyDocument | null {
  return bounds === undefined ? null : { version: 1, id, ...bounds };
}

/** Whether they hold the tenant to what is counted there: who could give that back would be held to nothing. */
export function areCountedIn(
  opened: OpenedTenant | null,
  { scope, id, windowMs }: Pick<BudgetLimit, 'scope' | 'id' | 'windowMs'>,
): boolean {
  const { budgets = [], maxCostTotalMicros = null } = boundsOf(opened) ?? {};
  const total = { scope: 'agent', id: TOTAL_BUDGET, windowMs: null };
  const counted = maxCostTotalMicros === null ? budgets : [...budgets, total];
  return counted.some((one) => one.scope === scope && one.id === id && one.windowMs === windowMs);
}

/** As records name them. The blank tells them from every policy: no id holds one. */
export function nameOfBounds({ document, revision }: OpenedTenant): string {
  return `tenant ${document.id}@${revision}`;
}

/** As `withBounds`, for a mandate that is the same for many actions: made once. */
export function withinBounds(mandate: Mandate, bounds: NamedPolicy | null): Mandate {
  if (bounds === null) return mandate;
  const made = bounded.get(bounds) ?? new WeakMap<Mandate, Mandate>();
  bounded.set(bounds, made);
  const one = made.get(mandate) ?? withBounds(mandate, bounds);
  made.set(mandate, one);
  return one;
}
