import { type Charging, UNBOUND_SETTLING } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { amountsOf, CHARGING_TABLE, chargingOf } from './charging-table.ts';
import { finalCharge } from './final-charge.ts';

const FLAT = { estimateMicros: 50 };
const TIERED: Charging = { type: 'TIERED', attemptMicros: 10, successMicros: 20, verificationMicros: 5 };
const COMPOSED: Charging = {
  ...{ type: 'COMPOSED', failedMicros: 15, succeededMicros: 30, verifiedMicros: 45, estimateMicros: 40 },
};
const SUCCESS = { status: 'success', verified: null } as const;
const VERIFIED = { status: 'success', verified: true } as const;
const FAILURE = { status: 'failure', verified: null } as const;
const UNPROVEN = { status: 'success', verified: false } as const;

test.each<
  [Charging, typeof SUCCESS | typeof VERIFIED | typeof FAILURE | typeof UNPROVEN, number | null, number]
>([
  [{ type: 'SUCCESS_BASED', ...FLAT }, SUCCESS, null, 50],
  [{ type: 'SUCCESS_BASED', ...FLAT }, SUCCESS, 20, 20],
  [{ type: 'SUCCESS_BASED', ...FLAT }, FAILURE, null, 0],
  [{ type: 'SUCCESS_BASED', ...FLAT }, UNPROVEN, 20, 20],
  [{ type: 'ATTEMPT_BASED', ...FLAT }, SUCCESS, 20, 50],
  [{ type: 'ATTEMPT_BASED', ...FLAT }, FAILURE, null, 50],
  [{ type: 'ATTEMPT_BASED', ...FLAT }, FAILURE, 70, 70],
  [TIERED, SUCCESS, 70, 30],
  [TIERED, VERIFIED, 70, 35],
  [TIERED, UNPROVEN, 70, 10],
  [{ ...TIERED, attemptMicros: Number.MAX_SAFE_INTEGER }, SUCCESS, null, Number.MAX_SAFE_INTEGER],
  [COMPOSED, SUCCESS, null, 40],
  [COMPOSED, SUCCESS, 20, 30],
  [COMPOSED, VERIFIED, 20, 45],
  [COMPOSED, FAILURE, 20, 20],
  [COMPOSED, FAILURE, null, 15],
])('charges %j after %j with an actual cost of %j: %i', (charging, result, actualMicros, chargedMicros) => {
  const lease = { reservedMicros: 50, charging, settling: UNBOUND_SETTLING };
  const outcome = { ...result, actualMicros, mayRelease: true };
  expect(finalCharge(lease, outcome, 0)).toMatchObject({ chargedMicros, excessMicros: 0 });
});

test.each([
  { type: 'SUCCESS_BASED', ...FLAT },
  { type: 'ATTEMPT_BASED', ...FLAT },
  TIERED,
  COMPOSED,
] as Charging[])('reads the amounts of %j in the order in which they are stored', (charging) => {
  expect(chargingOf(charging.type, amountsOf(charging))).toEqual(charging);
  expect(amountsOf(charging)).toHaveLength(CHARGING_TABLE[charging.type].amounts.length);
});
