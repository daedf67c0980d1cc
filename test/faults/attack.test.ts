/**
 * Runs all attacks by holders of ordinary keys at the same time, on a plane of one process that honest callers use.
 */
import { ATTACK } from '@mandate/testing';
import { test } from 'vitest';
import { ATTACKS } from './attacks/attacks.ts';
import { attackAtOnce } from './support/attack-at-once.ts';
import { expectBorne } from './support/expect-borne.ts';

test('the plane survives every attack at once', { timeout: ATTACK.ms + 300_000 }, async () => {
  const attacks = ATTACKS.filter(({ isHeavy = false }) => ATTACK.isMeasured || !isHeavy);
  expectBorne(await attackAtOnce(attacks, ATTACK.ms));
});
