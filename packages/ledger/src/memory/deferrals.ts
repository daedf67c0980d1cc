/**
 * Deferred actions. From its DEFER on, an action has a slot in every rate of its plan. It waits until a person
 * answers. The answer moves it to the grant. The ALLOW that uses the grant takes over the slots, which then count
 * from the time of the ALLOW. So no window ever contains more calls than its rate allows.
 */

import { releaseSlot, type SlidingRate, takeSlot } from '@mandate/step';
import type { DeferralReference } from '../port.ts';
import type { Deferral } from './deferral.ts';
import type { AgentState, TenantState } from './remembered.ts';

/** Returns the number of the agent's deferred actions that wait for a person. */
export function waitingOf(agent: AgentState | undefined, nowMs: number): number {
  if (agent === undefined || agent.waiting.length === 0) return 0;
  return stillWaiting(agent, nowMs).length;
}

/** Returns the number of the tenant's deferred actions that wait for a person. */
export function waitingIn(tenant: TenantState, nowMs: number): number {
  return tenant.agents.values().reduce((sum, agent) => sum + waitingOf(agent, nowMs), 0);
}

/** Adds the deferral, and removes an earlier deferral of the same request. */
export function beginWaiting(agent: AgentState, deferral: Deferral, nowMs: number): void {
  const others = stillWaiting(agent, nowMs).filter((other) => !isSame(other, deferral));
  agent.waiting = [...others, deferral];
}

/** Removes a request from the waiting requests, and returns its deferral. Null if the request does not wait. */
export function endWaiting(agent: AgentState, request: DeferralReference, nowMs: number): Deferral | null {
  const waiting = stillWaiting(agent, nowMs);
  const found = waiting.find((deferral) => isSame(deferral, request)) ?? null;
  if (found !== null) agent.waiting = waiting.filter((deferral) => deferral !== found);
  return found;
}

/** Releases the slots of a deferral in these rates. Returns the rates in which the deferral had a slot. */
export function releaseSlots(
  { rates, atMs }: Deferral,
  of: readonly SlidingRate[],
  nowMs: number,
): SlidingRate[] {
  return rates.filter((rate) => of.includes(rate) && releaseSlot(rate, atMs, nowMs));
}

/** Takes slots again that were released before. */
export function retakeSlots({ atMs }: Deferral, rates: readonly SlidingRate[], nowMs: number): void {
  for (const rate of rates) takeSlot(rate, atMs, nowMs);
}

function stillWaiting({ waiting }: AgentState, nowMs: number): readonly Deferral[] {
  return waiting.filter(({ forgetAtMs }) => forgetAtMs > nowMs);
}

function isSame(one: DeferralReference, other: DeferralReference): boolean {
  return one.actionId === other.actionId && one.digest === other.digest;
}
