/** Read-only questions: balances, open actions, flags, and unpublished changes. */
import type { KillFact, KillTarget } from '@mandate/schemas';
import { isOwnBudget, releasedOf, releasedTokensOf, spentIn, stillCounts, totalOf } from '@mandate/step';
import type { Balance, BudgetReference, OpenAction, Unpublished } from '../port.ts';
import { attemptsOf } from './agents.ts';
import { allCounters, type Counter, findCounter, referenceOf } from './counters.ts';
import { isOpen } from './deliveries.ts';
import { concerns, killFact } from './flags.ts';
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
      .filter(({ delta }) => delta !== 0)
      .map((moved) => ({ tenant: tenant.name, agentId: agent.id, source: sourceOf(delivery), ...moved }));
  });
}

/**
 * Returns the amounts that a delivery changed, each with its counters: all counters of the ALLOW, the agent's own
 * counters, and its counter of releases. First in money, then in tokens.
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
  const { tokens } = entry.lease;
  if (tokens === undefined) return ofMoney;
  const inTokens = counting(tokens.charges);
  const reservedTokens = delivery.kind === 'settled' ? 0 : tokens.reservedTokens;
  return [
    ...ofMoney,
    { delta: reservedTokens + (settled?.tokens?.deltaTokens ?? 0), budgets: inTokens.map(referenceOf) },
    { delta: settled?.tokens?.excessTokens ?? 0, budgets: inTokens.filter(isOwn).map(referenceOf) },
    { delta: settled?.tokens?.releasedTokens ?? 0, budgets: [releasedTokensOf(agent.id)] },
  ];
}

export function flagsInForce(state: LedgerState, tenant: string): (KillFact & { target: KillTarget })[] {
  return [...state.flags]
    .filter(([, flag]) => flag.killed && concerns(flag.target, tenant))
    .sort(([keyA, a], [keyB, b]) => b.atMs - a.atMs || (keyA < keyB ? -1 : 1))
    .map(([, flag]) => ({ ...killFact(flag), target: flag.target }));
}

/**
 * Compares by scope, subject, id, window. A lifetime counter comes before counters with a window, and money before
 * tokens.
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
