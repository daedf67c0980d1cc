/** What an action costs in the end: the table of SEMANTICS section 4, one row a charging policy, and the most of several. */
import type { Charging, SettleRequest } from '@mandate/schemas';

/** How an outcome counts: a success whose verification failed is a failure. */
export type Result = 'succeeded' | 'failed' | 'cancelled';

export function resultOf(outcome: Pick<SettleRequest, 'status' | 'verified'>): Result {
  if (outcome.status === 'cancelled') return 'cancelled';
  return outcome.status === 'success' && outcome.verified !== false ? 'succeeded' : 'failed';
}

/** Micro-dollars in all, at most 2^53-1. An action that never ran (`cancelled`) costs nothing. */
export function finalCharge(
  charging: Charging,
  outcome: Pick<SettleRequest, 'status' | 'verified' | 'actualMicros'>,
): number {
  const result = resultOf(outcome);
  if (result === 'cancelled') return 0;
  switch (charging.type) {
    case 'SUCCESS_BASED':
      return outcome.actualMicros ?? (result === 'succeeded' ? charging.estimateMicros : 0);
    case 'ATTEMPT_BASED':
      return Math.max(charging.estimateMicros, outcome.actualMicros ?? 0);
    case 'TIERED': {
      if (result === 'failed') return charging.attemptMicros;
      const verificationMicros = outcome.verified === null ? 0 : charging.verificationMicros;
      const sum = charging.attemptMicros + charging.successMicros + verificationMicros;
      return Math.min(sum, Number.MAX_SAFE_INTEGER);
    }
    case 'COMPOSED': {
      const { failedMicros, succeededMicros, verifiedMicros, estimateMicros } = charging;
      if (result === 'failed') return Math.max(failedMicros, outcome.actualMicros ?? 0);
      const keptMicros = outcome.verified === null ? succeededMicros : verifiedMicros;
      return Math.max(keptMicros, outcome.actualMicros ?? estimateMicros);
    }
  }
}
