/** Read-only questions: balances, open actions, flags, and unpublished changes. */
import type { KillFact, KillTarget } from '@mandate/schemas';
import { isOwnBudget, releasedOf, spentIn, stillCounts, totalOf } from '@mandate/step';
import type { Balance, BudgetReference, OpenAction, Unpublished } from '../port.ts';
import { attemptsOf } from './agents.ts';
import { allCounters, findCounter } from './counters.ts';
import { isOpen } from './deliveries.ts';
import { concerns, killFact } from './flags.ts';
import { sourceOf } from './log-positions.ts';
import type { Charge, Lease, ProcessedDelivery, StoredDecision, TenantState } from './remembered.ts';
import type { LedgerState } from './state.ts';

export function balancesOf(tenant: TenantState, nowMs: number): Balance[] {
  const balances: Balance[] = [];
  for (const counter of allCounters(tenant.counters)) {
    const spentMicros = spentIn(counter, nowMs);
    if (spentMicros === 0) continue;
    const { scope, subject, id, windowMs } = counter;
    balances.push({ tenant: tenant.name, budget: { scope, subject, id, windowMs }, spentMicros });
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
  return openEntries(tenant, agentId, nowMs).map(({ agent, actionId, attempt, atMs, lease }) => ({
    tenant: tenant.name,
    agentId: agent.id,
    actionId,
    attempt,
    reservedMicros: lease.reservedMicros,
    decidedAtMs: atMs,
    leaseExpiresAtMs: lease.expiresAtMs,
  }));
}

export function unpublishedOf(tenant: TenantState, nowMs: number): Unpublished[] {
  return [...tenant.unpublished].flatMap((delivery) => {
    const { agent } = delivery;
    return movedBy(delivery, nowMs)
      .filter(({ deltaMicros }) => deltaMicros !== 0)
      .map((moved) => ({ tenant: tenant.name, agentId: agent.id, source: sourceOf(delivery), ...moved }));
  });
}

/**
 * Returns the amounts that a delivery changed, each with its counters: all counters of the ALLOW, the agent's own
 * counters, and its counter of releases.
 */
function movedBy(delivery: ProcessedDelivery, nowMs: number): Pick<Unpublished, 'deltaMicros' | 'budgets'>[] {
  const { agent, kind } = delivery;
  if (delivery.unpublished === null || kind === 'duplicate' || kind === 'unremembered') return [];
  const { facts } = delivery.unpublished;
  const entry = delivery.kind === 'settled' ? delivery.unpublished.entry : delivery;
  const settled =
    delivery.kind === 'settled' ? delivery.unpublished.facts : delivery.unpublished.appliedOutcome;
  const reservedMicros = delivery.kind === 'settled' ? 0 : facts.chargedMicros;
  if (entry?.lease == null) return [];
  const charges = entry.lease.charges.filter(({ counter }) => stillCounts(counter, entry.atMs, nowMs));
  const own = charges.filter((charge) => isOwnBudget(charge.counter, agent.id));
  return [
    { deltaMicros: reservedMicros + (settled?.deltaMicros ?? 0), budgets: charges.map(referenceOf) },
    { deltaMicros: settled?.excessMicros ?? 0, budgets: own.map(referenceOf) },
    { deltaMicros: settled?.releasedMicros ?? 0, budgets: [releasedOf(agent.id)] },
  ];
}

function referenceOf({ counter: { scope, subject, id, windowMs } }: Charge): BudgetReference {
  return { scope, subject, id, windowMs };
}

export function flagsInForce(state: LedgerState, tenant: string): (KillFact & { target: KillTarget })[] {
  return [...state.flags]
    .filter(([, flag]) => flag.killed && concerns(flag.target, tenant))
    .sort(([keyA, a], [keyB, b]) => b.atMs - a.atMs || (keyA < keyB ? -1 : 1))
    .map(([, flag]) => ({ ...killFact(flag), target: flag.target }));
}

/** Compares by scope, subject, id, window. A lifetime counter comes before counters with a window. */
function compareBudgets(a: BudgetReference, b: BudgetReference): number {
  return (
    compareTexts(a.scope, b.scope) ||
    compareTexts(a.subject, b.subject) ||
    compareTexts(a.id, b.id) ||
    (a.windowMs ?? -1) - (b.windowMs ?? -1)
  );
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
