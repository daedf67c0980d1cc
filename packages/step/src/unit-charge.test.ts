import type { UnitSettling } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { unitCharge } from './unit-charge.ts';

const SETTLING: UnitSettling = { charging: 'SUCCESS_BASED', most: 300, releases: null };
const usage = { inputTokens: 60, outputTokens: 20 };

type Outcome = Partial<Parameters<typeof unitCharge>[2]>;

function charge(outcome: Outcome, settling: Partial<UnitSettling> = {}, held = 0) {
  return chargeIn('tokens', 100, outcome, { ...SETTLING, ...settling }, held);
}

function chargeIn(
  unit: Parameters<typeof unitCharge>[0],
  reserved: number,
  outcome: Outcome,
  settling = SETTLING,
  held = 0,
) {
  const reported = { status: 'success' as const, verified: null, mayRelease: false, ...outcome };
  return unitCharge(unit, { reserved, settling }, reported, held);
}

test('charges input and output tokens, and the reservation if no tokens are reported', () => {
  expect(charge({ usage, toolCalls: 7 }).charged).toBe(80);
  expect(charge({ toolCalls: 7 }).charged).toBe(100);
});

test('charges the reported calls of tools, and the reservation if none are reported', () => {
  expect(chargeIn('toolCalls', 1, { usage, toolCalls: 7 }).charged).toBe(7);
  expect(chargeIn('toolCalls', 1, { toolCalls: 0 }).charged).toBe(0);
  expect(chargeIn('toolCalls', 1, { usage }).charged).toBe(1);
  expect(chargeIn('toolCalls', 1, { status: 'failure', toolCalls: 3 }).charged).toBe(3);
  expect(chargeIn('toolCalls', 1, { status: 'failure' }).charged).toBe(0);
});

test('charges a failure with the reported tokens, or like a success', () => {
  expect(charge({ status: 'failure' }).charged).toBe(0);
  expect(charge({ status: 'failure', usage }).charged).toBe(80);
  expect(charge({ status: 'failure' }, { charging: 'ATTEMPT_BASED' }).charged).toBe(100);
});

test('counts a reported amount above the cap as excess', () => {
  const many = { inputTokens: 1_000, outputTokens: 0 };
  expect(charge({ usage: many })).toMatchObject({ charged: 300, excess: 700 });
});

test("lets the agent's own reports give back amounts up to the bound", () => {
  const releases = { amount: 150, percent: 20 };
  expect(charge({ status: 'failure' }, { releases }, 50)).toMatchObject({ charged: 0, released: 100 });
  const refused = { charged: 100, released: 0, releaseRefused: true };
  expect(charge({ status: 'cancelled' }, { releases }, 51)).toMatchObject(refused);
  expect(charge({ status: 'cancelled', mayRelease: true }, { releases }, 51)).toMatchObject({ charged: 0 });
  expect(charge({}, { releases }, 51)).toMatchObject({ charged: 100, released: -20 });
});
