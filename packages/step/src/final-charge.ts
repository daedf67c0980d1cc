/**
 * Computes the final charge of an action. The actual cost is the reported cost or the price of the reported token
 * usage, whichever is greater (ADR 68). The charging table gives the amounts that each outcome keeps. Then the plan
 * limits the charge: a policy's price is its minimum, and a cap limits the actual cost. The plan also limits the
 * amount that an agent's own reports may release (ADR 44, ADR 45).
 */

import type { Charging, SettleRequest, Settling } from '@mandate/schemas';
import { outcomeResult, percentOf } from '@mandate/schemas/core';
import { type KeptAmounts, keptAmounts } from './charging-table.ts';
import { usageMicrosOf } from './usage-price.ts';

type Outcome = Pick<SettleRequest, 'status' | 'verified' | 'actualMicros' | 'usage' | 'mayRelease'>;

/** The reservation of an ALLOW, with the data to settle it. */
type Reserved = { reservedMicros: number; charging: Charging; settling: Settling };

export type FinalCharge = {
  chargedMicros: number;
  /** The part of the actual cost above its cap. */
  excessMicros: number;
  /** The amount to add to the agent's counter of releases. Negative if a success allows more releases. */
  releasedMicros: number;
  releaseRefused: boolean;
  /** What the reported token usage costs. Null if no usage was reported, or if the plan has no price for it. */
  usageMicros: number | null;
  /** True if the actual cost is above the highest cost that a policy allows for one call. */
  overCostPerCall: boolean;
};

/**
 * Returns the final charge in micro-dollars, at most 2^53-1.
 *
 * @param releasedMicros the present value of the agent's counter of releases
 */
export function finalCharge(lease: Reserved, outcome: Outcome, releasedMicros: number): FinalCharge {
  const { charging, settling, reservedMicros } = lease;
  const usageMicros = usageMicrosOf(settling.tokenPrices, outcome.usage);
  const actualMicros = greater(outcome.actualMicros, usageMicros);
  const result = outcomeResult(outcome);
  const mayRelease = outcome.mayRelease || settling.releases === null;
  const overCostPerCall = settling.markMicros !== null && (actualMicros ?? 0) > settling.markMicros;
  const none = { excessMicros: 0, releasedMicros: 0, releaseRefused: false, usageMicros, overCostPerCall };
  if (result === 'cancelled' && mayRelease) return { ...none, chargedMicros: 0 };

  const kept = keptAmounts(charging);
  const cappedMicros = actualMicros === null ? null : Math.min(actualMicros, settling.mostMicros);
  // Tiers ignore the actual cost, so they have no excess.
  const excessMicros = kept.estimateMicros === null ? 0 : (actualMicros ?? 0) - (cappedMicros ?? 0);
  if (result === 'succeeded') {
    const isMetered = outcome.mayRelease || usageMicros !== null;
    const leastMicros = isMetered ? settling.leastMicros : settling.ownLeastMicros;
    const tableMicros = chargeOfSuccess(kept, cappedMicros, outcome.verified !== null);
    const chargedMicros = Math.max(leastMicros, tableMicros);
    const roomMicros = percentOf(chargedMicros, settling.releases?.percent ?? 0);
    const madeUpMicros = Math.min(Math.max(0, releasedMicros), roomMicros);
    return { ...none, chargedMicros, excessMicros, releasedMicros: 0 - madeUpMicros };
  }

  const chargedMicros = chargeOfFailure(kept, cappedMicros);
  const givenBackMicros = reservedMicros - chargedMicros;
  if (mayRelease || givenBackMicros <= 0) return { ...none, chargedMicros, excessMicros };
  if (Math.max(0, releasedMicros) > (settling.releases?.micros ?? 0) - givenBackMicros) {
    return { ...none, chargedMicros: reservedMicros, excessMicros, releaseRefused: true };
  }
  return { ...none, chargedMicros, excessMicros, releasedMicros: givenBackMicros };
}

function greater(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function chargeOfSuccess(kept: KeptAmounts, actualMicros: number | null, isVerified: boolean): number {
  const { estimateMicros } = kept;
  const keptMicros = isVerified ? kept.verifiedMicros : kept.succeededMicros;
  const meteredMicros = estimateMicros === null ? 0 : (actualMicros ?? estimateMicros);
  return Math.min(Math.max(keptMicros, meteredMicros), Number.MAX_SAFE_INTEGER);
}

function chargeOfFailure({ failedMicros, estimateMicros }: KeptAmounts, actualMicros: number | null): number {
  return estimateMicros === null ? failedMicros : Math.max(failedMicros, actualMicros ?? 0);
}
