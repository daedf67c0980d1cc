/**
 * The data of the model: a list of all events, in order. An event never changes, except for the time when it reaches
 * the log. Every answer is computed from the whole list, so no counter can become wrong.
 */
import {
  DEFAULTS,
  type KillTarget,
  type SettleFacts,
  type SettleRequest,
  type StepFacts,
  type StepRequest,
} from '@mandate/schemas';
import type { Adjustment, Approval, KillCommand, KillReceipt, Receipt } from '../../port.ts';
import { publishedVerdict } from './verdict.ts';

export type DecideEvent = {
  type: 'decide';
  atMs: number;
  request: StepRequest;
  facts: StepFacts;
  onLog: boolean;
};
export type SettleEvent = {
  type: 'settle';
  atMs: number;
  request: SettleRequest;
  facts: SettleFacts;
  /** The ALLOW that this outcome settled. Null if it settled none. */
  of: DecideEvent | null;
  onLog: boolean;
};
type KillEvent = {
  type: 'kill';
  atMs: number;
  target: KillTarget;
  command: KillCommand;
  receipt: KillReceipt;
};
type ReviveEvent = { type: 'revive'; atMs: number; target: KillTarget; revision: number; commandId: string };
type AdjustEvent = {
  type: 'adjust';
  atMs: number;
  adjustment: Adjustment;
  receipt: Receipt & { spent: number };
};
type ApproveEvent = {
  type: 'approve';
  atMs: number;
  approval: Approval;
  receipt: Receipt & { expiresAtMs: number };
};

export type HistoryEvent = DecideEvent | SettleEvent | KillEvent | ReviveEvent | AdjustEvent | ApproveEvent;

export type History = {
  events: HistoryEvent[];
  replayMemoryMs: number;
  /**
   * The number of deliveries above the limit that each tenant's ledger still recognizes. Only the last ones count.
   */
  keptUnremembered: number;
  nowMs: number;
};

/** Returns how long operators' commands are remembered, in milliseconds. */
export function commandMemoryMs({ replayMemoryMs }: Pick<History, 'replayMemoryMs'>): number {
  return Math.max(replayMemoryMs, DEFAULTS.replayMemoryMs);
}

export function eventsOf<Type extends HistoryEvent['type']>(
  history: History,
  type: Type,
): Extract<HistoryEvent, { type: Type }>[] {
  return history.events.filter(
    (event): event is Extract<HistoryEvent, { type: Type }> => event.type === type,
  );
}

/**
 * True if the event is still remembered. The replay memory is the minimum. An event is kept longer while the log does
 * not have it, while its lease lasts, or if its own time is in the future. Operators' events are kept for a day.
 */
export function isRemembered(history: History, event: HistoryEvent): boolean {
  const { nowMs, replayMemoryMs } = history;
  if (isUnremembered(event) && event.onLog && !isOfTheLast(history, event)) return false;
  switch (event.type) {
    case 'decide': {
      const replayMs = Math.max(event.atMs, event.request.appendedAtMs) + replayMemoryMs;
      return (
        !event.onLog || nowMs < Math.max(replayMs, event.facts.leaseExpiresAtMs ?? 0, asksUntilMs(event))
      );
    }
    case 'settle':
      return !event.onLog || nowMs < event.atMs + replayMemoryMs;
    default:
      return nowMs < event.atMs + commandMemoryMs({ replayMemoryMs });
  }
}

type Delivered = DecideEvent | SettleEvent;

/** True if the tenant was at its limit, so that the event is not remembered. */
function isUnremembered(event: HistoryEvent): event is Delivered {
  if (event.type === 'decide') return event.facts.unremembered;
  return event.type === 'settle' && event.facts.kind === 'unremembered';
}

function isOfTheLast({ events, keptUnremembered }: History, event: Delivered): boolean {
  const own = events.filter(isUnremembered).filter(({ request }) => request.tenant === event.request.tenant);
  return own.indexOf(event) >= own.length - keptUnremembered;
}

/** True if the tenant is below its limit of remembered deliveries. */
export function hasRoom(history: History, tenant: string, maxRemembered: number): boolean {
  return rememberedOf(history, tenant) < maxRemembered;
}

/** Returns the number of remembered deliveries of the tenant. Deliveries above the limit do not count. */
export function rememberedOf(history: History, tenant: string): number {
  return history.events.filter(
    (event) =>
      (event.type === 'decide' || event.type === 'settle') &&
      event.request.tenant === tenant &&
      !isUnremembered(event) &&
      isRemembered(history, event),
  ).length;
}

/** Returns the sequence of the tenant's next event. */
export function nextSequence(history: History, tenant: string): number {
  return 1 + history.events.filter((event) => takesSequence(event, tenant)).length;
}

export function tenantNames(history: History): string[] {
  const names = history.events.flatMap((event) => {
    if (event.type === 'kill') return Object.keys(event.receipt.sequences);
    return event.type === 'revive' ? [] : [tenantOf(event)];
  });
  return [...new Set(names)].sort();
}

function takesSequence(event: HistoryEvent, tenant: string): boolean {
  if (event.type === 'kill') return tenant in event.receipt.sequences;
  return event.type !== 'revive' && tenantOf(event) === tenant;
}

function tenantOf(event: Exclude<HistoryEvent, KillEvent | ReviveEvent>): string {
  if (event.type === 'adjust') return event.adjustment.tenant;
  return event.type === 'approve' ? event.approval.tenant : event.request.tenant;
}

/** Returns the time until which the question of a DEFER is kept at least. 0 if the decision is not a DEFER. */
export function asksUntilMs({ atMs, request, facts }: DecideEvent): number {
  if (facts.first !== null || publishedVerdict(request.plan, facts).verdict !== 'DEFER') return 0;
  const asked = request.plan.limits.find((limit) => limit.kind === 'confirmation');
  return atMs + (asked?.questionMs ?? 0);
}
