/**
 * Compares the spending on the log with the ledger and the audit, for each counter. At rest all three are equal to
 * the micro-dollar. Under load the ledger is ahead of the log by exactly its unpublished changes.
 */
import { sumMicros } from '@mandate/schemas/core';
import type { Balance, BudgetReference, Unpublished } from './port.ts';

/** A counter that differs between the sources. `auditMicros` is null if the audit was not asked. */
export type Difference = Pick<Balance, 'tenant' | 'budget'> & {
  logMicros: number;
  /** The part of `logMicros` in the months that the audit still has. */
  keptMicros: number;
  /** The amount that was charged in the ledger and is not yet on the log. */
  unpublishedMicros: number;
  ledgerMicros: number;
  auditMicros: number | null;
};

export type Reconciliation = {
  /** The number of compared counters. */
  counters: number;
  /** Σ |log + unpublished − ledger| + |kept part of the log − audit| over all counters, at most 2^53-1. */
  driftMicros: number;
  differences: readonly Difference[];
};

/**
 * @param log balances of a fold of the log
 * @param ledger balances of the ledger, for the same tenants at the same time, because windows slide
 * @param unpublished read before the log. Default: none, as at rest. A window that contains a credit is compared
 *   exactly only at rest, because the effect of the credit depends on charges that are not on the log yet
 * @param audit lifetime counters only, because the audit never removes amounts from a window. Null if not asked
 * @param kept balances of a fold of the part of the log that the audit still has. Default: the whole log
 */
export function reconcile(sources: {
  log: readonly Balance[];
  ledger: readonly Balance[];
  unpublished?: readonly Unpublished[];
  audit: readonly Balance[] | null;
  kept?: readonly Balance[] | undefined;
}): Reconciliation {
  const rows = new Map<string, Difference>();
  const rowOf = (tenant: string, { scope, subject, id, windowMs }: BudgetReference): Difference => {
    const name = JSON.stringify([tenant, scope, subject, id, windowMs]);
    const known = rows.get(name);
    if (known !== undefined) return known;
    const auditMicros = sources.audit === null || windowMs !== null ? null : 0;
    const budget = { scope, subject, id, windowMs };
    const none = { logMicros: 0, keptMicros: 0, unpublishedMicros: 0, ledgerMicros: 0 };
    const row = { tenant, budget, ...none, auditMicros };
    rows.set(name, row);
    return row;
  };

  for (const { tenant, budget, spentMicros } of sources.log) rowOf(tenant, budget).logMicros += spentMicros;
  for (const { tenant, budget, spentMicros } of sources.kept ?? sources.log) {
    rowOf(tenant, budget).keptMicros += spentMicros;
  }
  for (const { tenant, budget, spentMicros } of sources.ledger) {
    rowOf(tenant, budget).ledgerMicros += spentMicros;
  }
  for (const { tenant, budgets, deltaMicros } of sources.unpublished ?? []) {
    for (const budget of budgets) rowOf(tenant, budget).unpublishedMicros += deltaMicros;
  }
  for (const { tenant, budget, spentMicros } of sources.audit ?? []) {
    const row = rowOf(tenant, budget);
    if (row.auditMicros !== null) row.auditMicros += spentMicros;
  }

  const differences = [...rows.values()].filter((row) => driftOf(row) !== 0);
  const driftMicros = differences.reduce((sum, row) => sumMicros(sum, driftOf(row)), 0);
  return { counters: rows.size, driftMicros, differences };
}

function driftOf(row: Difference): number {
  const { logMicros, keptMicros, unpublishedMicros, ledgerMicros, auditMicros } = row;
  const ofLedger = Math.abs(logMicros + unpublishedMicros - ledgerMicros);
  return sumMicros(ofLedger, auditMicros === null ? 0 : Math.abs(keptMicros - auditMicros));
}
