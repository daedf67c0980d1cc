/**
 * The final cost of an action. A table has a row for each charging policy, and the largest of several costs counts. Then the
 * plan bounds the settlement by a price that a policy sets, and by a cap on the actual cost. It also limits the amount that
 * an agent's own reports may give back (ADR 44, ADR 45).
 */
import { type Charging, outcomeResult, percentOf, type SettleRequest, type Settling } from '@mandate/schemas';

type Outcome = Pick<SettleRequest, 'status' | 'verified' | 'actualMicros' | 'mayRelease'>;

/** The reservation of an ALLOW, and how it is settled. */
type Reserved = { reservedMicros: number; charging: Charging; settling: Settling };

export type FinalCharge = {
  chargedMicros: number;
  excessMicros: number;
  /** Added to the agent's counter of releases; negative where a success makes room. */
  releasedMicros: number;
  releaseRefused: boolean;
};

/**
 * Micro-dollars, at most 2^53-1.
 *
 * @param releasedMicros what the agent's counter of releases holds
 */
export function finalCharge(lease: Reserved, outcome: Outcome, releasedMicros: number): FinalCharge {
  const { charging, settling, reservedMicros } = lease;
  const result = outcomeResult(outcome);
  const mayRelease = outcome.mayRelease || settling.releases === null;
  if (result === 'cancelled' && mayRelease) return costing(0);

  const { actualMicros } = outcome;
  const cappedMicros = actualMicros === null ? null : Math.min(actualMicros, settling.mostMicros);
  // Tiers ignore the actual cost, so they have no excess.
  const excessMicros = charging.type === 'TIERED' ? 0 : (actualMicros ?? 0) - (cappedMicros ?? 0);
  if (result === 'succeeded') {
    const leastMicros = outcome.mayRelease ? settling.leastMicros : settling.ownLeastMicros;
    const tableMicros = chargeOfSuccess(charging, cappedMicros, outcome.verified !== null);
    const chargedMicros = Math.max(leastMicros, tableMicros);
    const roomMicros = percentOf(chargedMicros, settling.releases?.percent ?? 0);
    const madeUpMicros = Math.min(Math.max(0, releasedMicros), roomMicros);
    return { ...costing(chargedMicros, excessMicros), releasedMicros: 0 - madeUpMicros };
  }

  const chargedMicros = chargeOfFailure(charging, cappedMicros);
  const givenBackMicros = reservedMicros - chargedMicros;
  if (mayRelease || givenBackMicros <= 0) return costing(chargedMicros, excessMicros);
  if (Math.max(0, releasedMicros) > (settling.releases?.micros ?? 0) - givenBackMicros) {
    return { ...costing(reservedMicros, excessMicros), releaseRefused: true };
  }
  return { ...costing(chargedMicros, excessMicros), releasedMicros: givenBackMicros };
}

function costing(chargedMicros: number, excessMicros = 0): FinalCharge {
  return { chargedMicros, excessMicros, releasedMicros: 0, releaseRefused: false };
}

function chargeOfSuccess(charging: Charging, actualMicros: number | null, verified: boolean): number {
  switch (charging.type) {
    case 'SUCCESS_BASED':
      return actualMicros ?? charging.estimateMicros;
    case 'ATTEMPT_BASED':
      return Math.max(charging.estimateMicros, actualMicros ?? 0);
    case 'TIERED': {
      const verificationMicros = verified ? charging.verificationMicros : 0;
      const sum = charging.attemptMicros + charging.successMicros + verificationMicros;
      return Math.min(sum, Number.MAX_SAFE_INTEGER);
    }
    case 'COMPOSED': {
      const keptMicros = verified ? charging.verifiedMicros : charging.succeededMicros;
      return Math.max(keptMicros, actualMicros ?? charging.estimateMicros);
    }
  }
}

function chargeOfFailure(charging: Charging, actualMicros: number | null): number {
  switch (charging.type) {
    case 'SUCCESS_BASED':
      return actualMicros ?? 0;
    case 'ATTEMPT_BASED':
      return Math.max(charging.estimateMicros, actualMicros ?? 0);
    case 'TIERED':
      return charging.attemptMicros;
    case 'COMPOSED':
      return Math.max(charging.failedMicros, actualMicros ?? 0);
  }
}
