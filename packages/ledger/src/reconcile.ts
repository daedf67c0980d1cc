/**
 * Compares what the log says was spent with what the ledger holds and what the audit answers, counter by counter. At
 * rest all three are equal to the micro-dollar; in flight the ledger is ahead of the log by exactly what it lists as
 * unpublished. This is how that is proven.
 */
import { sumMicros } from '@mandate/schemas/core';
import type { Balance, BudgetReference, Unpublished } from './port.ts';

/** A counter on which they disagree. `auditMicros` is null where the audit was not asked. */
export type Difference = Pick<Balance, 'tenant' | 'budget'> & {
  logMicros: number;
  /** The part of it in months that the audit keeps. */
  keptMicros: number;
  /** Charged in the ledger, not yet on the log. */
  unpublishedMicros: number;
  ledgerMicros: number;
  auditMicros: number | null;
};

export type Reconciliation = {
  /** How many counters were compared. */
  counters: number;
  /** Σ |log + unpublished − ledger| + |kept of the log − audit| over all counters; at most 2^53-1. */
  driftMicros: number;
  differences: readonly Difference[];
};

/**
 * @param log balances of a fold of the log, and `ledger` the ledger's of the same tenants at the same time: windows slide
 * @param unpublished asked before the log was read; none when absent, as at rest. A window in which a credit lies is
 *   compared exactly at rest alone: how much the credit gives back hangs on what is not on the log yet
 * @param audit lifetime counters only: what has left a window is no longer in the ledger's sum, but stays in the
 *   audit's; null where the audit is not asked
 * @param kept balances of a fold of what of the log the audit keeps, where it has dropped old months; else it keeps all
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
