/**
 * How two policies settle one call together: of every outcome the greater of what they charge. All that a charging says are
 * the amounts of COMPOSED, of which each is the greater, so neither order nor repetition changes what comes out.
 */
import type { Charging } from '@mandate/schemas';
import { type KeptAmounts, keptAmounts } from '@mandate/step';

export function greaterCharging(one: Charging, other: Charging): Charging {
  if (isFlat(one) && isFlat(other) && one.type === other.type) {
    return one.estimateMicros >= other.estimateMicros ? one : other;
  }
  return chargingOf(greater(keptAmounts(one), keptAmounts(other)));
}

function isFlat(
  charging: Charging,
): charging is Extract<Charging, { type: 'SUCCESS_BASED' | 'ATTEMPT_BASED' }> {
  return charging.type === 'SUCCESS_BASED' || charging.type === 'ATTEMPT_BASED';
}

function greater(one: KeptAmounts, other: KeptAmounts): KeptAmounts {
  const isMetered = one.estimateMicros !== null || other.estimateMicros !== null;
  return {
    failedMicros: Math.max(one.failedMicros, other.failedMicros),
    succeededMicros: Math.max(one.succeededMicros, other.succeededMicros),
    verifiedMicros: Math.max(one.verifiedMicros, other.verifiedMicros),
    estimateMicros: isMetered ? Math.max(one.estimateMicros ?? 0, other.estimateMicros ?? 0) : null,
  };
}

/** By the kind that says it all, where there is one. */
function chargingOf(amounts: KeptAmounts): Charging {
  const { failedMicros, succeededMicros, verifiedMicros, estimateMicros } = amounts;
  if (estimateMicros === null) {
    return {
      type: 'TIERED',
      attemptMicros: failedMicros,
      successMicros: succeededMicros - failedMicros,
      verificationMicros: verifiedMicros - succeededMicros,
    };
  }
  // No success keeps less than a failure, so where this is 0 all are.
  if (verifiedMicros === 0) return { type: 'SUCCESS_BASED', estimateMicros };
  if (failedMicros === verifiedMicros && failedMicros === estimateMicros) {
    return { type: 'ATTEMPT_BASED', estimateMicros };
  }
  return { type: 'COMPOSED', failedMicros, succeededMicros, verifiedMicros, estimateMicros };
}
