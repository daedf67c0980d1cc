/**
 * The bounds that the policies of a mandate set for a settlement. A success costs at least its price. An actual cost is
 * charged up to a cap. The amount that own reports give back is limited (ADR 44, ADR 45). If policies differ, each figure is
 * the one that charges more.
 */
import { DEFAULTS, type Settling } from '@mandate/schemas';
import type { Calls } from './checks/check.ts';
import { countsAsOpen } from './checks/open-calls.ts';
import type { Releases } from './mandate/mandate.ts';
import { hasPrice, isTiered } from './price.ts';

/** Of one call, by what it reserves; `inputMicros`: what the stated input of a model call costs, 0 of a tool call. */
export type SettlingOf = (reserveMicros: number, inputMicros: number) => Settling;

/** @param calls of one kind, under all policies of a mandate */
export function settlingOf(calls: readonly Calls[]): SettlingOf {
  const leastMicros = greatest(calls, (one) => (isTiered(one) ? 0 : (one.tool?.costMicros ?? 0)));
  const estimateMicros = greatest(calls, estimateOf);
  const markMicros = markOf(calls);
  const releases = releasesOf(calls);
  const capOf = capsOf(calls);
  const open = countsAsOpen(calls);
  // Most calls of one kind cost the same, so most of them share one object.
  let latest: { reserveMicros: number; settling: Settling } | null = null;

  return (reserveMicros, inputMicros) => {
    const ownLeastMicros = Math.max(leastMicros, estimateMicros, inputMicros);
    if (latest?.reserveMicros === reserveMicros && latest.settling.ownLeastMicros === ownLeastMicros)
      return latest.settling;
    const mostMicros = capOf(reserveMicros);
    const settling = { leastMicros, ownLeastMicros, mostMicros, markMicros, releases, open };
    latest = { reserveMicros, settling };
    return settling;
  };
}

function estimateOf(calls: Calls): number {
  if (calls.type === 'llm_call' || hasPrice(calls)) return 0;
  return calls.policy.defaultEstimateMicros ?? 0;
}

/** If the policy sets no cap, ten times the reservation, or one dollar, is still not too much. */
function capsOf(calls: readonly Calls[]): (reserveMicros: number) => number {
  const stated = calls.flatMap(({ policy, tool }) => tool?.maxActualMicros ?? policy.maxActualMicros ?? []);
  const unstated = calls.filter(
    ({ policy, tool }) => (tool?.maxActualMicros ?? policy.maxActualMicros) === null,
  );
  const defaultMicros = greatest(unstated, ({ policy, tool }) =>
    Math.max(DEFAULTS.actualCostMicros, policy.maxCostPerCallMicros ?? 0, tool?.maxCostPerCallMicros ?? 0),
  );
  const factor = unstated.length === 0 ? 1 : DEFAULTS.actualCostFactor;
  const leastMicros = Math.max(defaultMicros, ...stated);
  return (reserveMicros) => Math.max(leastMicros, Math.min(factor * reserveMicros, Number.MAX_SAFE_INTEGER));
}

function markOf(calls: readonly Calls[]): number | null {
  const limits = calls.flatMap(({ policy, tool }) => [
    ...(policy.maxCostPerCallMicros === null ? [] : [policy.maxCostPerCallMicros]),
    ...(tool?.maxCostPerCallMicros == null ? [] : [tool.maxCostPerCallMicros]),
  ]);
  return limits.length === 0 ? null : Math.min(...limits);
}

function releasesOf(calls: readonly Calls[]): Settling['releases'] {
  const bounded = calls
    .map(({ policy }) => policy.releases)
    .filter((releases): releases is Exclude<Releases, 'unlimited'> => releases !== 'unlimited');
  if (bounded.length === 0) return null;
  return {
    calls: Math.min(...bounded.map(({ calls }) => calls)),
    percent: Math.min(...bounded.map(({ percent }) => percent)),
  };
}

function greatest(calls: readonly Calls[], of: (calls: Calls) => number): number {
  return calls.reduce((most, one) => Math.max(most, of(one)), 0);
}
