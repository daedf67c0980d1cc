/**
 * Frees the memory of forgotten deliveries, a few in each step. Every look-up compares `forgetAtMs` with the clock.
 * So ids are forgotten at the exact millisecond, even if their memory is freed later.
 */
import { release } from './agents.ts';
import { isForgotten, replayUntilMs } from './deliveries.ts';
import { lengthOf, replaceFirst } from './queue.ts';
import type { ProcessedDelivery, TenantState, Unremembered } from './remembered.ts';
import type { LedgerState } from './state.ts';

/** Stores a new delivery under its position. */
export function remember(state: LedgerState, delivery: Exclude<ProcessedDelivery, Unremembered>): void {
  link(delivery);
  state.remembered += 1;
  delivery.agent.tenant.remembered += 1;
  state.forgetting.items.push(delivery);
}

/**
 * The number of deliveries to check in each step. A step adds only one or two deliveries, so freeing never falls
 * behind.
 */
const LOOKED_AT_EACH_STEP = 4;

/**
 * Frees the memory of the oldest deliveries that are forgotten by `beforeMs`, except those for which `isKept` is
 * true. A delivery that is kept for a reason other than its age moves to the end of the queue, so that it does not
 * block later deliveries.
 *
 * @param options.most the maximum number of deliveries to check
 */
export function forget(
  state: LedgerState,
  beforeMs: number,
  {
    isKept = () => false,
    most = LOOKED_AT_EACH_STEP,
  }: { isKept?: (delivery: ProcessedDelivery) => boolean; most?: number } = {},
): void {
  const { forgetting } = state;
  const last = Math.min(most, lengthOf(forgetting));
  let looked = 0;
  for (; looked < last; looked += 1) {
    const oldest = forgetting.items[forgetting.head + looked] as ProcessedDelivery;
    if (isForgotten(oldest, beforeMs) && !isKept(oldest)) drop(state, oldest);
    else if (oldest.forgetAtMs <= beforeMs || isKeptLonger(oldest, state.replayMemoryMs))
      forgetting.items.push(oldest);
    else break;
  }
  replaceFirst(forgetting, looked);
}

/** Stores a delivery above the tenant's limit. The list is in the order of the sequences. */
export function rememberBriefly(state: LedgerState, delivery: Unremembered): void {
  link(delivery);
  const { items, head } = delivery.agent.tenant.unremembered;
  let at = items.length;
  while (at > head && (items[at - 1]?.sequence ?? 0) > delivery.sequence) at -= 1;
  items.splice(at, 0, delivery);
  forgetBrief(state, delivery.agent.tenant, 0);
}

/**
 * Forgets deliveries above the tenant's limit. Keeps the last of them, and those that the log does not contain yet.
 * Also drops the oldest deliveries after their time has passed.
 */
export function forgetBrief(state: LedgerState, { unremembered }: TenantState, nowMs: number): void {
  const over = lengthOf(unremembered) - state.room.keptUnremembered;
  if (over > 0) {
    const first = unremembered.items.slice(unremembered.head, unremembered.head + over);
    const stay = first.filter(({ unpublished }) => unpublished !== null);
    for (const delivery of first) if (delivery.unpublished === null) displace(delivery);
    replaceFirst(unremembered, over, stay);
  }
  for (;;) {
    const oldest = unremembered.items[unremembered.head];
    if (oldest === undefined || !isForgotten(oldest, nowMs)) return;
    displace(oldest);
    replaceFirst(unremembered, 1);
  }
}

/** Frees the memory of a delivery above the tenant's limit. */
export function forgetAtOnce(delivery: Unremembered): void {
  const { items, head } = delivery.agent.tenant.unremembered;
  const at = items.indexOf(delivery, head);
  if (at === -1) return;
  items.splice(at, 1);
  displace(delivery);
}

/** True if the delivery is kept longer because of its lease, or because of a question to a person. */
function isKeptLonger(delivery: ProcessedDelivery, replayMemoryMs: number): boolean {
  if (delivery.kind !== 'first' && delivery.kind !== 'expired') return false;
  if (delivery.lease !== null) return delivery.lease.expiresAtMs === delivery.forgetAtMs;
  return delivery.verdict === 'DEFER' && delivery.forgetAtMs > replayUntilMs(delivery, replayMemoryMs);
}

function link(delivery: ProcessedDelivery): void {
  const { log, offset, agent } = delivery;
  // The step found the agent before it forgot a delivery. If that was the agent's last delivery, the agent was
  // removed, and is stored again here.
  if (agent.deliveries === 0) agent.tenant.agents.set(agent.id, agent);
  log.deliveries.set(offset, delivery);
  log.highest = Math.max(log.highest, offset);
  agent.deliveries += 1;
}

function drop(state: LedgerState, delivery: ProcessedDelivery): void {
  state.remembered -= 1;
  delivery.agent.tenant.remembered -= 1;
  if (delivery.kind === 'first' || delivery.kind === 'expired') release(delivery.agent, delivery);
  displace(delivery);
}

function displace(delivery: ProcessedDelivery): void {
  const { agent, log, offset } = delivery;
  if (log.deliveries.get(offset) === delivery) log.deliveries.delete(offset);
  agent.deliveries -= 1;
  if (agent.deliveries === 0) agent.tenant.agents.delete(agent.id);
}
