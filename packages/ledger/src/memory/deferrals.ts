/**
 * Deferred actions. Each holds one slot of every rate of its plan from the time at which it was asked. Until a person
 * answers, it waits with its agent. An answer takes it to the grant. The ALLOW that uses the grant takes the slots along:
 * they then count from the time of the ALLOW, so that no window ever holds more calls than its rate.
 */

import { leaveSlot, type SlidingRate, takeSlot } from '@mandate/step';
import type { DeferralReference } from '../port.ts';
import type { Deferral } from './deferral.ts';
import type { AgentState } from './remembered.ts';

/** How many deferred actions of the agent wait for a person. */
export function waitingOf(agent: AgentState | undefined, nowMs: number): number {
  if (agent === undefined || agent.waiting.length === 0) return 0;
  return stillWaiting(agent, nowMs).length;
}

/** In the place of an earlier one of the same request. */
export function beginWaiting(agent: AgentState, deferral: Deferral, nowMs: number): void {
  const others = stillWaiting(agent, nowMs).filter((other) => !isSame(other, deferral));
  agent.waiting = [...others, deferral];
}

/** Takes it from those that wait; null where it is not among them. */
export function endWaiting(agent: AgentState, request: DeferralReference, nowMs: number): Deferral | null {
  const waiting = stillWaiting(agent, nowMs);
  const found = waiting.find((deferral) => isSame(deferral, request)) ?? null;
  if (found !== null) agent.waiting = waiting.filter((deferral) => deferral !== found);
  return found;
}

/** Gives up its slots of these rates. Answers the rates that held one. */
export function leaveSlots(
  { rates, atMs }: Deferral,
  of: readonly SlidingRate[],
  nowMs: number,
): SlidingRate[] {
  return rates.filter((rate) => of.includes(rate) && leaveSlot(rate, atMs, nowMs));
}

/** Takes back slots that were given up. */
export function retakeSlots({ atMs }: Deferral, rates: readonly SlidingRate[], nowMs: number): void {
  for (const rate of rates) takeSlot(rate, atMs, nowMs);
}

function stillWaiting({ waiting }: AgentState, nowMs: number): readonly Deferral[] {
  return waiting.filter(({ forgetAtMs }) => forgetAtMs > nowMs);
}

function isSame(one: DeferralReference, other: DeferralReference): boolean {
  return one.actionId === other.actionId && one.digest === other.digest;
}
