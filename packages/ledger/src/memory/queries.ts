/** Read-only questions: balances, open actions, flags, and unpublished changes. */
import type { KillTarget } from '@mandate/schemas';
import { unitsIn } from '@mandate/schemas/core';
import { isOwnBudget, releasedOf, spentIn, stillCounts, totalOf } from '@mandate/step';
import type { Balance, BudgetReference, KillInForce, OpenAction, Unpublished } from '../port.ts';
import { attemptsOf } from './agents.ts';
import { allCounters, type Counter, findCounter, referenceOf } from './counters.ts';
import { isOpen } from './deliveries.ts';
import { concerns, killInForce } from './flags.ts';
import { sourceOf } from './log-positions.ts';
import type { Charge, Lease, ProcessedDelivery, StoredDecision, TenantState } from './remembered.ts';
import type { LedgerState } from './state.ts';

export function balancesOf(tenant: TenantState, nowMs: number): Balance[] {
  const balances: Balance[] = [];
  for (const counter of allCounters(tenant.counters)) {
    const spent = spentIn(counter, nowMs);
    if (spent !== 0) balances.push({ tenant: tenant.name, budget: referenceOf(counter), spent });
  }
  return balances.sort((a, b) => compareBudgets(a.budget, b.budget));
}

export function spentOf(
  tenant: TenantState | undefined,
  budgets: readonly BudgetReference[],
  nowMs: number,
): number[] {
  return budgets.map((budget) => {
    const counter = tenant === undefined ? undefined : findCounter(tenant.counters, budget);
    return counter === undefined ? 0 : spentIn(counter, nowMs);
  });
}

/**
 * Returns the open actions of a target. For a subtree these are the actions charged to the total of its top agent,
 * because each ALLOW of a descendant is charged to all ancestors.
 */
export function openFor(
  target: KillTarget,
  tenant: TenantState,
  nowMs: number,
): (StoredDecision & { lease: Lease })[] {
  if (target.scope !== 'subtree')
    return openEntries(tenant, target.scope === 'agent' ? target.agentId : undefined, nowMs);
  const total = findCounter(tenant.counters, totalOf(target.agentId));
  return openEntries(tenant, undefined, nowMs).filter(({ lease }) =>
    lease.charges.some(({ counter }) => counter === total),
  );
}

function openEntries(
  tenant: TenantState,
  agentId: string | undefined,
  nowMs: number,
): (StoredDecision & { lease: Lease })[] {
  const entries = new Set<StoredDecision & { lease: Lease }>();
  for (const entry of mayBeOpen(tenant, agentId)) {
    if ((agentId ?? entry.agent.id) === entry.agent.id && isOpen(entry, nowMs)) entries.add(entry);
  }
  return [...entries].sort((a, b) => a.sequence - b.sequence);
}

/**
 * Yields the actions to check. For one agent: the running actions of the tenant or the remembered actions of the
 * agent, whichever list is shorter.
 */
function* mayBeOpen(tenant: TenantState, agentId: string | undefined): Generator<StoredDecision> {
  const agent = agentId === undefined ? undefined : tenant.agents.get(agentId);
  if (agentId !== undefined && agent === undefined) return;
  for (const delivery of tenant.unpublished) if (isEntry(delivery)) yield delivery;
  if (agent === undefined || tenant.running.size < agent.actions.size) yield* tenant.running;
  else for (const actionId of agent.actions.keys()) yield* attemptsOf(agent, actionId);
}

function isEntry(delivery: ProcessedDelivery): delivery is StoredDecision {
  return delivery.kind === 'first' || delivery.kind === 'expired';
}

export function openActions(tenant: TenantState, agentId: string | undefined, nowMs: number): OpenAction[] {
  return openEntries(tenant, agentId, nowMs).map((entry) => openAction(tenant, entry));
}

export function openAction(tenant: TenantState, entry: StoredDecision & { lease: Lease }): OpenAction {
  const { agent, actionId, attempt, digest, sequence, atMs, lease } = entry;
  const { type, tool, reservedMicros, expiresAtMs } = lease;
  return {
    ...{ tenant: tenant.name, agentId: agent.id, actionId, attempt, type, tool, digest },
    ...{ sequence, reservedMicros, decidedAtMs: atMs, leaseExpiresAtMs: expiresAtMs },
  };
}

export function unpublishedOf(tenant: TenantState, nowMs: number): Unpublished[] {
  return [...tenant.unpublished].flatMap((delivery) => {
    const { agent } = delivery;
    return movedBy(delivery, nowMs)
      .filter(({ delta }) => delta !== 0)
      .map((moved) => ({ tenant: tenant.name, agentId: agent.id, source: sourceOf(delivery), ...moved }));
  });
}

/**
 * Returns the amounts that a delivery changed, each with its counters: all counters of the ALLOW, the agent's own
 * counters, and its counter of releases. First in money, then in each other unit.
 */
function movedBy(delivery: ProcessedDelivery, nowMs: number): Pick<Unpublished, 'delta' | 'budgets'>[] {
  const { agent, kind } = delivery;
  if (delivery.unpublished === null || kind === 'duplicate' || kind === 'unremembered') return [];
  const { facts } = delivery.unpublished;
  const entry = delivery.kind === 'settled' ? delivery.unpublished.entry : delivery;
  const settled =
    delivery.kind === 'settled' ? delivery.unpublished.facts : delivery.unpublished.appliedOutcome;
  const reservedMicros = delivery.kind === 'settled' ? 0 : facts.chargedMicros;
  if (entry?.lease == null) return [];
  const counting = (charges: readonly Charge[]) =>
    charges.map(({ counter }) => counter).filter((counter) => stillCounts(counter, entry.atMs, nowMs));
  const isOwn = (counter: Counter) => isOwnBudget(counter, agent.id);
  const charged = counting(entry.lease.charges);
  const ofMoney = [
    { delta: reservedMicros + (settled?.deltaMicros ?? 0), budgets: charged.map(referenceOf) },
    { delta: settled?.excessMicros ?? 0, budgets: charged.filter(isOwn).map(referenceOf) },
    { delta: settled?.releasedMicros ?? 0, budgets: [releasedOf(agent.id)] },
  ];
  const inUnits = unitsIn(entry.lease.units).flatMap(([unit, lease]) => {
    const counters = counting(lease.charges);
    const reserved = delivery.kind === 'settled' ? 0 : lease.reserved;
    const moved = settled?.units?.[unit];
    return [
      { delta: reserved + (moved?.delta ?? 0), budgets: counters.map(referenceOf) },
      { delta: moved?.excess ?? 0, budgets: counters.filter(isOwn).map(referenceOf) },
      { delta: moved?.released ?? 0, budgets: [releasedOf(agent.id, unit)] },
    ];
  });
  return [...ofMoney, ...inUnits];
}

export function flagsInForce(state: LedgerState, tenant: string): KillInForce[] {
  return [...state.flags]
    .filter(([, flag]) => flag.killed && concerns(flag.target, tenant))
    .sort(([keyA, a], [keyB, b]) => b.atMs - a.atMs || (keyA < keyB ? -1 : 1))
    .map(([, flag]) => killInForce(flag));
}

/**
 * Compares by scope, subject, id, window. A lifetime counter comes before counters with a window, and money before
 * other units.
 */
export function compareBudgets(a: BudgetReference, b: BudgetReference): number {
  return (
    compareTexts(a.scope, b.scope) ||
    compareTexts(a.subject, b.subject) ||
    compareTexts(a.id, b.id) ||
    (a.windowMs ?? -1) - (b.windowMs ?? -1) ||
    compareTexts(a.unit ?? '', b.unit ?? '')
  );
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
