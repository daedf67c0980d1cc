/**
 * Forgetting, a little with each step. Every look-up compares `forgetAtMs` with the clock, so that what is forgotten
 * is so to the millisecond; this only gives its memory back.
 */
import { release } from './agents.ts';
import { isForgotten } from './deliveries.ts';
import type { Delivery } from './remembered.ts';
import type { LedgerState } from './state.ts';

/** Stores a new delivery under its coordinate. */
export function remember(state: LedgerState, delivery: Delivery): void {
  delivery.log.deliveries.set(delivery.offset, delivery);
  if (typeof delivery.offset === 'number')
    delivery.log.highest = Math.max(delivery.log.highest, delivery.offset);
  delivery.agent.deliveries += 1;
  state.forgetting.deliveries.push(delivery);
}

/** More than the one or two deliveries that a step adds, so that forgetting keeps up. */
const LOOKED_AT_EACH_STEP = 4;

/**
 * Gives back the memory of the oldest deliveries that are forgotten by `beforeMs`, save those that `isKept`. One that
 * is kept for another reason than its age goes to the end of the queue, so that it never keeps those behind it.
 */
export function forget(
  state: LedgerState,
  beforeMs: number,
  isKept: (delivery: Delivery) => boolean = () => false,
): void {
  const queue = state.forgetting;
  for (let looked = 0; looked < LOOKED_AT_EACH_STEP; looked += 1) {
    const oldest = queue.deliveries[queue.head];
    if (oldest === undefined) break;
    if (isForgotten(oldest, beforeMs) && !isKept(oldest)) drop(state, oldest);
    else if (oldest.forgetAtMs <= beforeMs || isKeptByLease(oldest)) queue.deliveries.push(oldest);
    else break;
    queue.head += 1;
  }
  if (queue.head > 1_000 && queue.head * 2 > queue.deliveries.length) {
    queue.deliveries = queue.deliveries.slice(queue.head);
    queue.head = 0;
  }
}

function isKeptByLease(delivery: Delivery): boolean {
  if (delivery.kind === 'duplicate' || delivery.kind === 'settled') return false;
  return delivery.lease !== null && delivery.lease.expiresAtMs === delivery.forgetAtMs;
}

function drop(state: LedgerState, delivery: Delivery): void {
  const { agent, log, offset } = delivery;
  if (log.deliveries.get(offset) === delivery) log.deliveries.delete(offset);
  if (delivery.kind === 'first' || delivery.kind === 'expired') release(agent, delivery);
  agent.deliveries -= 1;
  if (agent.deliveries === 0) agent.tenant.agents.delete(agent.id);
  if (log.deliveries.size === 0) state.coordinates.get(log.topic)?.delete(log.partition);
}
