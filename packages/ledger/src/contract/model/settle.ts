/** How the model processes one outcome. */
import {
  type CounterUnit,
  mapUnits,
  type SettleFacts,
  type SettleRequest,
  type UnitSettled,
} from '@mandate/schemas';
import { validDecisions, verdictOf } from './duplicates.ts';
import { finalCost, finalInUnit, statedCost, usageCost } from './final-cost.ts';
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
  chargedUnitCounters,
  costOf,
  cutExcess,
  cutToFit,
  isOwn,
  lifetimeSpend,
  releasedBudget,
  spent,
  unitCounter,
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
    ...unitsMoved(history, of, request),
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
      facts.units !== undefined && {
        units: mapUnits(facts.units, (its, unit) => ({
          ...its,
          overdrawn: its.delta + its.excess > 0 && isOverdrawnIn(unit, history, of),
        })),
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

function unitsMoved(
  history: History,
  allow: DecideEvent | null,
  request: SettleRequest,
): Pick<SettleFacts, 'units'> {
  const { units } = allow?.request.plan ?? {};
  if (allow === null || units === undefined) return {};
  return { units: mapUnits(units, (_, unit) => unitMoved(history, allow, request, unit)) };
}

function unitMoved(
  history: History,
  allow: DecideEvent,
  request: SettleRequest,
  unit: CounterUnit,
): UnitSettled {
  const reserved = allow.facts.chargedUnits?.[unit];
  const settling = allow.request.plan.units?.[unit]?.settling;
  if (reserved === undefined || settling === undefined) throw new Error('nothing was reserved');
  const { tenant, agentId } = request;
  const released = spent(history, tenant, releasedBudget(agentId, unit));
  const cost = finalInUnit(unit, settling, request, { reserved, released });
  const counters = chargedUnitCounters(allow.request, unit);
  const own = counters.filter((counter) => isOwn(counter, agentId));
  const delta = cutToFit(history, tenant, counters, allow.atMs, cost.amount - reserved);
  return {
    delta,
    charged: reserved + delta,
    excess: cutExcess(history, tenant, own, allow.atMs, { delta, micros: cost.excess }),
    released: cost.released,
    releaseRefused: cost.refused,
    overdrawn: false,
  };
}

function isOverdrawnIn(unit: CounterUnit, history: History, allow: DecideEvent): boolean {
  const { tenant, plan } = allow.request;
  return plan.limits.some(
    (limit) => limit.kind === unit && spent(history, tenant, unitCounter(limit)) > limit.most,
  );
}
