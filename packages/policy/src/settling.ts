/**
 * Computes the limits that policies set for a settlement. A success costs at least its price. An actual cost is
 * charged up to a cap. The amount that the agent's own reports release is limited (ADR 44, ADR 45). If policies
 * differ, the limit that leads to the higher charge counts.
 */

import type { Settling, TokenPrice } from '@mandate/schemas';
import { CAPS, DEFAULTS } from '@mandate/schemas/core';
import type { Calls } from './checks/check.ts';
import { countsAsOpen } from './checks/open-calls.ts';
import type { Releases } from './mandate/mandate.ts';
import { hasPrice, isTiered, type Price } from './price.ts';

/**
 * Computes the limits for one call.
 *
 * @param price the amount that the call reserves, and the price that the policies set
 * @param inputMicros the cost of the stated input of a model call; 0 for a tool call
 * @param tokenPrices the prices of the tokens of a model call; undefined if no policy prices them
 */
export type SettlingOf = (
  price: Reserved,
  inputMicros: number,
  tokenPrices?: readonly TokenPrice[],
) => Settling;
type Reserved = Pick<Price, 'reserveMicros' | 'policyMicros'>;

/** @param calls of one kind, under all policies of a mandate */
export function settlingOf(calls: readonly Calls[]): SettlingOf {
  const leastMicros = greatest(calls, (one) => (isTiered(one) ? 0 : (one.tool?.costMicros ?? 0)));
  const estimateMicros = greatest(calls, estimateOf);
  const markMicros = markOf(calls);
  const fewest = fewestReleases(calls);
  const capOf = capsOf(calls, markMicros);
  const open = countsAsOpen(calls);
  // The last result. Most calls of one kind cost the same, so most of them share one object.
  let latest: (Reserved & { settling: Settling }) | null = null;

  return ({ reserveMicros, policyMicros }, inputMicros, tokenPrices) => {
    const ownLeastMicros = Math.max(leastMicros, estimateMicros, inputMicros);
    if (
      latest?.reserveMicros === reserveMicros &&
      latest.policyMicros === policyMicros &&
      latest.settling.ownLeastMicros === ownLeastMicros &&
      latest.settling.tokenPrices === tokenPrices
    ) {
      return latest.settling;
    }
    const mostMicros = capOf(reserveMicros);
    const releases = releasesOf(fewest, policyMicros === 0 ? reserveMicros : policyMicros);
    const settling: Settling = { leastMicros, ownLeastMicros, mostMicros, markMicros, releases, open };
    if (tokenPrices !== undefined) settling.tokenPrices = tokenPrices;
    latest = { reserveMicros, policyMicros, settling };
    return settling;
  };
}

function estimateOf(calls: Calls): number {
  if (calls.judgedAs === 'model' || hasPrice(calls)) return 0;
  return calls.policy.defaultEstimateMicros ?? 0;
}

/**
 * Returns the cap of the actual cost: the highest cap that a policy states. If no policy states a cap, it is ten
 * times the reservation. For a call that reserves nothing it is a dollar, and nothing for an action that calls neither
 * a tool nor a model, such as a prompt. So a report costs other agents at most ten times the amount that the agent had
 * a budget for (ADR 45). This default is at most `maxCostPerCall`, because no call may cost more, unless all policies
 * are in observe mode.
 */
function capsOf(
  calls: readonly Calls[],
  maxCostPerCallMicros: number | null,
): (reserveMicros: number) => number {
  const stated = calls.flatMap(({ policy, tool }) => tool?.maxActualMicros ?? policy.maxActualMicros ?? []);
  if (stated.length > 0) {
    const statedMicros = Math.max(...stated);
    return () => statedMicros;
  }
  const costsNothing = calls.some(({ judgedAs }) => judgedAs === 'own');
  const isEnforced = calls.some(({ policy }) => !policy.observe);
  const limitMicros = isEnforced ? maxCostPerCallMicros : null;
  return (reserveMicros) => {
    if (reserveMicros === 0) return costsNothing ? 0 : (limitMicros ?? DEFAULTS.actualCostMicros);
    return Math.min(DEFAULTS.actualCostFactor * reserveMicros, limitMicros ?? CAPS.amountMicros);
  };
}

function markOf(calls: readonly Calls[]): number | null {
  const limits = calls.flatMap(({ policy, tool }) => [
    ...(policy.maxCostPerCallMicros === null ? [] : [policy.maxCostPerCallMicros]),
    ...(tool?.maxCostPerCallMicros == null ? [] : [tool.maxCostPerCallMicros]),
  ]);
  return limits.length === 0 ? null : Math.min(...limits);
}

/** Returns the smallest limits on releases. Null if every policy lets own reports release everything. */
export function fewestReleases(calls: readonly Calls[]): Exclude<Releases, 'unlimited'> | null {
  const bounded = calls
    .map(({ policy }) => policy.releases)
    .filter((releases): releases is Exclude<Releases, 'unlimited'> => releases !== 'unlimited');
  if (bounded.length === 0) return null;
  return {
    calls: Math.min(...bounded.map(({ calls }) => calls)),
    percent: Math.min(...bounded.map(({ percent }) => percent)),
  };
}

/** @param callMicros the price of the call; if no policy prices the call, the amount that it reserves */
function releasesOf(fewest: ReturnType<typeof fewestReleases>, callMicros: number): Settling['releases'] {
  if (fewest === null) return null;
  return { micros: Math.min(fewest.calls * callMicros, CAPS.amountMicros), percent: fewest.percent };
}

function greatest(calls: readonly Calls[], of: (calls: Calls) => number): number {
  return calls.reduce((most, one) => Math.max(most, of(one)), 0);
}
