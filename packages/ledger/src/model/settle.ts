/** The model's step for one outcome. */
import type { SettleFacts, SettleRequest } from '@mandate/schemas';
import { said, standing } from './duplicates.ts';
import {
  type DecideEvent,
  eventsOf,
  type History,
  hasRoom,
  nextSequence,
  type SettleEvent,
} from './history.ts';
import { chargedBudgets, costOf, cutToFit, finalCost, lifetimeSpend, spent } from './spending.ts';

/** Adds the outcome to the history, with what it did. */
export function settle(history: History, epoch: string, request: SettleRequest): SettleFacts {
  const { tenant, agentId, actionId, attempt } = request;
  const event = standing(history, request).find(
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
    deltaMicros: of === null ? 0 : deltaOf(history, of, request),
    chargedMicros: 0,
    cumulativeMicros: 0,
    overdrawn: false,
  };
  const settled: SettleEvent = { type: 'settle', atMs: history.nowMs, request, facts, of, onLog: false };
  history.events.push(settled);
  // What it left behind is read from the history that has it.
  settled.facts = {
    ...facts,
    chargedMicros: event === undefined ? 0 : costOf(history, event),
    cumulativeMicros: lifetimeSpend(history, tenant, agentId),
    overdrawn: of !== null && facts.deltaMicros > 0 && isOverdrawn(history, of),
  };
  return settled.facts;
}

function kindOf(
  history: History,
  event: DecideEvent | undefined,
): Exclude<SettleFacts['kind'], 'unremembered'> {
  if (event === undefined) return 'unknown';
  if (said(event).verdict !== 'ALLOW') return 'not_allowed';
  return eventsOf(history, 'settle').some((known) => known.of === event) ? 'repeated' : 'settled';
}

function deltaOf(history: History, allow: DecideEvent, request: SettleRequest): number {
  const wanted = finalCost(allow.request.plan.charging, request) - allow.facts.chargedMicros;
  return cutToFit(history, request.tenant, chargedBudgets(allow.request), allow.atMs, wanted);
}

function isOverdrawn(history: History, allow: DecideEvent): boolean {
  const { tenant, plan } = allow.request;
  return plan.limits.some(
    (limit) =>
      limit.kind === 'budget' && limit.maxMicros !== null && spent(history, tenant, limit) > limit.maxMicros,
  );
}
