import type { RateLimit } from '@mandate/schemas';
import { DEFAULTS, OPEN_CALLS } from '@mandate/schemas/core';
import type { Policy } from '../mandate/mandate.ts';
import { isTiered } from '../price.ts';
import { byCounter, nameIn } from './by-counter.ts';
import { type Calls, type LimitCheck, type LimitOf, under } from './check.ts';
import { mandateRate, type RateFact } from './rate.ts';

/**
 * Limits the open calls of an agent: allowed calls without an outcome. If a call reserves nothing, its cost is only
 * known after its outcome. So each open call may overdraw a budget (ADR 46).
 */
export const openCalls: LimitCheck<RateLimit, RateFact> = {
  name: 'open-calls',
  limits(calls) {
    const limitOf = strictestOf(openCallsLimits(calls));
    return limitOf === null ? [] : [limitOf];
  },
  evidence: mandateRate.evidence,
  violation: ({ maxCalls }, { calls, retryAfterMs }) => ({
    reason: `At most ${maxCalls} calls of this agent may be open at one time (maxOpen), and ${calls} have no outcome yet.`,
    remedy:
      retryAfterMs === null
        ? 'Waiting does not help: the limit admits no call at all.'
        : 'Report the outcomes of the calls that have ended, or wait retryAfterMs. Then try again, as the next attempt of the same action.',
  }),
};

/** True if calls of this kind count as open until they are settled. */
export function countsAsOpen(calls: readonly Calls[]): boolean {
  return openCallsLimits(calls).length > 0;
}

type OpenCallsLimit = Pick<Policy, 'name' | 'ancestor'> & { maxOpen: number };

/**
 * Returns the limits that policies state, followed by the default limits of policies under which the call reserves
 * nothing.
 */
function openCallsLimits(calls: readonly Calls[]): readonly OpenCallsLimit[] {
  // If all policies only observe, no call has to wait for the outcome of another call.
  if (calls.every(({ policy }) => policy.observe)) return [];
  const ofPolicies = calls.flatMap(({ policy }) => openCallsLimit(policy, policy.maxOpen));
  const defaults = calls.flatMap((one) => openCallsLimit(one.policy, defaultOf(one)));
  return [...ofPolicies, ...defaults];
}

function openCallsLimit({ name, ancestor }: Policy, maxOpen: Policy['maxOpen']): OpenCallsLimit[] {
  return typeof maxOpen === 'number' ? [{ name, ancestor, maxOpen }] : [];
}

/**
 * Returns the default limit if the call reserves nothing under this policy, whatever other policies say. Only tool
 * calls have a default. A model without a price is refused if money is limited. With tiers, the cost in an outcome is
 * ignored. Prompts, answers and operations on memory cost nothing (settling.ts).
 */
function defaultOf(calls: Calls): number | null {
  const { policy, tool, judgedAs, statesEstimate } = calls;
  const limitsMoney = policy.maxCostTotalMicros !== null || policy.budgets.length > 0;
  if (policy.maxOpen !== null || !limitsMoney || statesEstimate) return null;
  if (judgedAs !== 'tool' || isTiered(calls)) return null;
  const priceMicros = tool?.costMicros ?? policy.defaultEstimateMicros ?? 0;
  return priceMicros === 0 ? DEFAULTS.maxOpen : null;
}

/** The counter belongs to the calling agent, even if an ancestor has the policy. */
function strictestOf(limits: readonly OpenCallsLimit[]): LimitOf<RateLimit> | null {
  const [counter] = byCounter(
    limits,
    () => OPEN_CALLS,
    ({ maxOpen }) => maxOpen,
  );
  if (counter === undefined) return null;
  const { strictest, others } = counter;
  const limitOf: LimitOf<RateLimit> = ({ action: { agentId } }) => ({
    kind: 'rate',
    agentId,
    tool: OPEN_CALLS,
    maxCalls: strictest.maxOpen,
    windowMs: DEFAULTS.openWindowMs,
  });
  const otherLimits = others.map((one) => ({ ...nameIn(one), maxCalls: one.maxOpen }));
  return under(strictest, limitOf, otherLimits);
}
