/**
 * How two policies settle one call together: of every outcome the greater of what they charge. All that a charging says are
 * the amounts of COMPOSED, of which each is the greater, so neither order nor repetition changes what comes out.
 */
import type { Charging } from '@mandate/schemas';

/** `estimateMicros`: null where what is metered does not count, as in tiers. */
type Amounts = {
  failedMicros: number;
  succeededMicros: number;
  verifiedMicros: number;
  estimateMicros: number | null;
};

export function greaterCharging(one: Charging, other: Charging): Charging {
  if (isFlat(one) && isFlat(other) && one.type === other.type) {
    return one.estimateMicros >= other.estimateMicros ? one : other;
  }
  return chargingOf(greater(amountsOf(one), amountsOf(other)));
}

function isFlat(
  charging: Charging,
): charging is Extract<Charging, { type: 'SUCCESS_BASED' | 'ATTEMPT_BASED' }> {
  return charging.type === 'SUCCESS_BASED' || charging.type === 'ATTEMPT_BASED';
}

function amountsOf(charging: Charging): Amounts {
  switch (charging.type) {
    case 'SUCCESS_BASED':
      return allAt(0, charging.estimateMicros);
    case 'ATTEMPT_BASED':
      return allAt(charging.estimateMicros, charging.estimateMicros);
    case 'TIERED': {
      const { attemptMicros, successMicros, verificationMicros } = charging;
      const succeededMicros = attemptMicros + successMicros;
      const verifiedMicros = succeededMicros + verificationMicros;
      return { failedMicros: attemptMicros, succeededMicros, verifiedMicros, estimateMicros: null };
    }
    case 'COMPOSED':
      return charging;
  }
}

function allAt(micros: number, estimateMicros: number): Amounts {
  return { failedMicros: micros, succeededMicros: micros, verifiedMicros: micros, estimateMicros };
}

function greater(one: Amounts, other: Amounts): Amounts {
  const isMetered = one.estimateMicros !== null || other.estimateMicros !== null;
  return {
    failedMicros: Math.max(one.failedMicros, other.failedMicros),
    succeededMicros: Math.max(one.succeededMicros, other.succeededMicros),
    verifiedMicros: Math.max(one.verifiedMicros, other.verifiedMicros),
    estimateMicros: isMetered ? Math.max(one.estimateMicros ?? 0, other.estimateMicros ?? 0) : null,
  };
}

/** By the kind that says it all, where there is one. */
function chargingOf(amounts: Amounts): Charging {
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
