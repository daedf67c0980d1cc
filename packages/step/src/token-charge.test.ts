import type { TokenSettling } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { tokenCharge } from './token-charge.ts';

const SETTLING: TokenSettling = { charging: 'SUCCESS_BASED', mostTokens: 300, releases: null };
const usage = { inputTokens: 60, outputTokens: 20 };

function charge(
  outcome: Partial<Parameters<typeof tokenCharge>[1]>,
  settling: Partial<TokenSettling> = {},
  releasedTokens = 0,
) {
  const reported = { status: 'success' as const, verified: null, mayRelease: false, ...outcome };
  return tokenCharge(
    { reservedTokens: 100, settling: { ...SETTLING, ...settling } },
    reported,
    releasedTokens,
  );
}

test('charges input and output tokens, and the reservation if no tokens are reported', () => {
  expect(charge({ usage }).chargedTokens).toBe(80);
  expect(charge({}).chargedTokens).toBe(100);
});

test('charges a failure with the reported tokens, or like a success', () => {
  expect(charge({ status: 'failure' }).chargedTokens).toBe(0);
  expect(charge({ status: 'failure', usage }).chargedTokens).toBe(80);
  expect(charge({ status: 'failure' }, { charging: 'ATTEMPT_BASED' }).chargedTokens).toBe(100);
});

test('counts reported tokens above the cap as excess', () => {
  const many = { inputTokens: 1_000, outputTokens: 0 };
  expect(charge({ usage: many })).toMatchObject({ chargedTokens: 300, excessTokens: 700 });
});

test('lets own reports give back tokens up to the bound', () => {
  const releases = { tokens: 150, percent: 20 };
  expect(charge({ status: 'failure' }, { releases }, 50)).toMatchObject({
    chargedTokens: 0,
    releasedTokens: 100,
  });
  const refused = { chargedTokens: 100, releasedTokens: 0, releaseRefused: true };
  expect(charge({ status: 'cancelled' }, { releases }, 51)).toMatchObject(refused);
  expect(charge({ status: 'cancelled', mayRelease: true }, { releases }, 51)).toMatchObject({
    chargedTokens: 0,
  });
  expect(charge({}, { releases }, 51)).toMatchObject({ chargedTokens: 100, releasedTokens: -20 });
});
