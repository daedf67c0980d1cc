/** How the model processes one outcome. */
import type { SettleFacts, SettleRequest, TokensSettled } from '@mandate/schemas';
import { validDecisions, verdictOf } from './duplicates.ts';
import { finalCost, finalTokens, statedCost, usageCost } from './final-cost.ts';
import {
  type DecideEvent,
  eventsOf,
  type History,
  hasRoom,
  nextSequence,
  type SettleEvent,
} from './history.ts';
import {
  chargedBudgets,
  chargedTokenCounters,
  costOf,
  cutExcess,
  cutToFit,
  isOwn,
  lifetimeSpend,
  releasedBudget,
  releasedTokensBudget,
  spent,
  tokenCounter,
} from './spending.ts';

/** Adds the outcome to the history, with its effect. */
export function settle(history: History, epoch: string, request: SettleRequest): SettleFacts {
  const { tenant, agentId, actionId, attempt } = request;
  const event = validDecisions(history, request).find(
    (known) => known.request.actionId === actionId && known.request.attempt === attempt,
  );
  const found = kindOf(history, event);
  const isFull = !hasRoom(history, tenant, request.maxRemembered);
  const kind = found !== 'settled' && isFull ? 'unremembered' : found;
  const of = kind === 'settled' && event !== undefined ? event : null;
  const facts: SettleFacts = {
    epoch,
    sequence: nextSequence(history, tenant),
    atMs: history.nowMs,
    kind,
    late: of !== null && history.nowMs >= (of.facts.leaseExpiresAtMs ?? 0),
    ...movedBy(history, of, request),
    chargedMicros: 0,
    cumulativeMicros: 0,
    overdrawn: false,
    ...tokensMoved(history, of, request),
  };
  const settled: SettleEvent = { type: 'settle', atMs: history.nowMs, request, facts, of, onLog: false };
  history.events.push(settled);
  // These sums must be computed after the event is in the history.
  settled.facts = {
    ...facts,
    chargedMicros: event === undefined ? 0 : costOf(history, event),
    cumulativeMicros: lifetimeSpend(history, tenant, agentId),
    overdrawn: of !== null && facts.deltaMicros + facts.excessMicros > 0 && isOverdrawn(history, of),
    ...(of !== null &&
      facts.tokens !== undefined && {
        tokens: {
          ...facts.tokens,
          overdrawn:
            facts.tokens.deltaTokens + facts.tokens.excessTokens > 0 && isOverdrawnInTokens(history, of),
        },
      }),
  };
  return settled.facts;
}

function kindOf(
  history: History,
  event: DecideEvent | undefined,
): Exclude<SettleFacts['kind'], 'unremembered'> {
  if (event === undefined) return 'unknown';
  if (verdictOf(event).verdict !== 'ALLOW') return 'not_allowed';
  return eventsOf(history, 'settle').some((known) => known.of === event) ? 'repeated' : 'settled';
}

type Moved = Pick<
  SettleFacts,
  'deltaMicros' | 'excessMicros' | 'usageMicros' | 'releasedMicros' | 'releaseRefused' | 'overCostPerCall'
>;

function movedBy(history: History, allow: DecideEvent | null, request: SettleRequest): Moved {
  if (allow === null) {
    const nothing = { deltaMicros: 0, excessMicros: 0, usageMicros: null, releasedMicros: 0 };
    return { ...nothing, releaseRefused: false, overCostPerCall: false };
  }
  const { tenant, agentId } = request;
  const { plan } = allow.request;
  const reserved = allow.facts.chargedMicros;
  const released = spent(history, tenant, releasedBudget(agentId));
  const cost = finalCost(plan, request, { reserved, released });
  const budgets = chargedBudgets(allow.request);
  const own = budgets.filter((budget) => isOwn(budget, agentId));
  const deltaMicros = cutToFit(history, tenant, budgets, allow.atMs, cost.micros - reserved);
  const { markMicros } = plan.settling;
  return {
    deltaMicros,
    excessMicros: cutExcess(history, tenant, own, allow.atMs, { delta: deltaMicros, micros: cost.excess }),
    usageMicros: usageCost(plan.settling, request),
    releasedMicros: cost.released,
    releaseRefused: cost.refused,
    overCostPerCall: markMicros !== null && (statedCost(plan.settling, request) ?? 0) > markMicros,
  };
}

function isOverdrawn(history: History, allow: DecideEvent): boolean {
  const { tenant, plan } = allow.request;
  return plan.limits.some(
    (limit) =>
      limit.kind === 'budget' && limit.maxMicros !== null && spent(history, tenant, limit) > limit.maxMicros,
  );
}

function tokensMoved(
  history: History,
  allow: DecideEvent | null,
  request: SettleRequest,
): { tokens?: TokensSettled } {
  const reserved = allow?.facts.chargedTokens;
  const settling = allow?.request.plan.tokens?.settling;
  if (allow === null || reserved === undefined || settling === undefined) return {};
  const { tenant, agentId } = request;
  const released = spent(history, tenant, releasedTokensBudget(agentId));
  const cost = finalTokens(settling, request, { reserved, released });
  const counters = chargedTokenCounters(allow.request);
  const own = counters.filter((counter) => isOwn(counter, agentId));
  const deltaTokens = cutToFit(history, tenant, counters, allow.atMs, cost.tokens - reserved);
  return {
    tokens: {
      deltaTokens,
      chargedTokens: reserved + deltaTokens,
      excessTokens: cutExcess(history, tenant, own, allow.atMs, { delta: deltaTokens, micros: cost.excess }),
      releasedTokens: cost.released,
      releaseRefused: cost.refused,
      overdrawn: false,
    },
  };
}

function isOverdrawnInTokens(history: History, allow: DecideEvent): boolean {
  const { tenant, plan } = allow.request;
  return plan.limits.some(
    (limit) => limit.kind === 'tokens' && spent(history, tenant, tokenCounter(limit)) > limit.maxTokens,
  );
}
