/**
 * Compares the spending on the log with the ledger and the audit, for each counter. At rest all three are equal, to the
 * unit of each counter. Under load the ledger is ahead of the log by exactly its unpublished changes.
 */
import { sumMicros } from '@mandate/schemas/core';
import { referenceOf } from './memory/counters.ts';
import type { Balance, BudgetReference, Unpublished } from './port.ts';

/**
 * A counter that differs between the sources. All amounts are in the unit of the counter. `audit` is null if the audit
 * was not asked.
 */
export type Difference = Pick<Balance, 'tenant' | 'budget'> & {
  log: number;
  /** The part of `log` in the months that the audit still has. */
  kept: number;
  /** The amount that was charged in the ledger and is not yet on the log. */
  unpublished: number;
  ledger: number;
  audit: number | null;
};

export type Reconciliation = {
  /** The number of compared counters. */
  counters: number;
  /** Σ |log + unpublished − ledger| + |kept part of the log − audit| over all counters of money, at most 2^53-1. */
  driftMicros: number;
  /** The same over all counters of tokens. */
  driftTokens: number;
  /** The same over all counters of tool calls. */
  driftToolCalls: number;
  differences: readonly Difference[];
};

/**
 * @param log balances of a fold of the log
 * @param ledger balances of the ledger, for the same tenants at the same time, because windows slide
 * @param unpublished read before the log. Default: none, as at rest. A window that contains a credit is compared
 *   exactly only at rest, because the effect of the credit depends on charges that are not on the log yet
 * @param audit lifetime counters of money only, because the audit never removes amounts from a window. Null if not
 *   asked
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
  const rowOf = (tenant: string, of: BudgetReference): Difference => {
    const budget = referenceOf(of);
    const name = JSON.stringify([tenant, Object.values(budget)]);
    const known = rows.get(name);
    if (known !== undefined) return known;
    const isAudited = sources.audit !== null && budget.windowMs === null && budget.unit === undefined;
    const none = { log: 0, kept: 0, unpublished: 0, ledger: 0 };
    const row = { tenant, budget, ...none, audit: isAudited ? 0 : null };
    rows.set(name, row);
    return row;
  };

  for (const { tenant, budget, spent } of sources.log) rowOf(tenant, budget).log += spent;
  for (const { tenant, budget, spent } of sources.kept ?? sources.log) rowOf(tenant, budget).kept += spent;
  for (const { tenant, budget, spent } of sources.ledger) rowOf(tenant, budget).ledger += spent;
  for (const { tenant, budgets, delta } of sources.unpublished ?? []) {
    for (const budget of budgets) rowOf(tenant, budget).unpublished += delta;
  }
  for (const { tenant, budget, spent } of sources.audit ?? []) {
    const row = rowOf(tenant, budget);
    if (row.audit !== null) row.audit += spent;
  }

  const differences = [...rows.values()].filter((row) => driftOf(row) !== 0);
  const inUnit = (unit: BudgetReference['unit']) => differences.filter(({ budget }) => budget.unit === unit);
  return {
    counters: rows.size,
    driftMicros: sumOf(inUnit(undefined)),
    driftTokens: sumOf(inUnit('tokens')),
    driftToolCalls: sumOf(inUnit('toolCalls')),
    differences,
  };
}

function sumOf(differences: readonly Difference[]): number {
  return differences.reduce((sum, row) => sumMicros(sum, driftOf(row)), 0);
}

function driftOf({ log, kept, unpublished, ledger, audit }: Difference): number {
  const ofLedger = Math.abs(log + unpublished - ledger);
  return sumMicros(ofLedger, audit === null ? 0 : Math.abs(kept - audit));
}
