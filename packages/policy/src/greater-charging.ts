/**
 * Combines the charges of two policies for one call. For every outcome, the higher charge counts. Each amount of the
 * combined charging (`COMPOSED`) is the greater of two amounts, so the order of the policies does not matter.
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

/** Returns the simplest kind of charging that has these amounts. */
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
  // A success never charges less than a failure. So if the amount of a success is 0, all amounts are 0.
  if (verifiedMicros === 0) return { type: 'SUCCESS_BASED', estimateMicros };
  if (failedMicros === verifiedMicros && failedMicros === estimateMicros) {
    return { type: 'ATTEMPT_BASED', estimateMicros };
  }
  return { type: 'COMPOSED', failedMicros, succeededMicros, verifiedMicros, estimateMicros };
}
