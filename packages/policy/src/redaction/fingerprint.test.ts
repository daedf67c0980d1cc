import type { Action } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { actionDigest } from '../action-digest.ts';
import { fingerprintOf } from './fingerprint.ts';
import { compileActionRedaction } from './redact-action.ts';

const redact = compileActionRedaction({ redact: ['iban'] });
const pay = (args: { iban?: string; amount: number }): Action => ({
  id: 'a',
  agentId: 'x',
  type: 'tool_call',
  tool: 'pay',
  args,
});
const fingerprint = (action: Action, key = 'k') => fingerprintOf(action, redact(action), key);

test('the fingerprint distinguishes requests that redaction makes equal, and depends on the key', () => {
  const [good, evil] = [pay({ iban: 'DE-GOOD', amount: 1 }), pay({ iban: 'EVIL', amount: 1 })];
  expect(redact(good)).toEqual(redact(evil));
  expect(fingerprint(good)).toMatch(/^[0-9a-f]{64}$/);
  expect(fingerprint(good)).toBe(fingerprint(structuredClone(good)));
  expect(fingerprint(good)).not.toBe(fingerprint(evil));
  expect(fingerprint(good)).not.toBe(fingerprint(good, 'another key'));
});

test('the fingerprint is null if nothing is redacted', () => {
  expect(fingerprint(pay({ amount: 1 }))).toBeNull();
});

test('the fingerprint changes the digest of the request, and without a fingerprint the plain digest is used', () => {
  const redacted = redact(pay({ iban: 'DE-GOOD', amount: 1 }));
  const digests = [null, 'a'.repeat(64), 'b'.repeat(64)].map((print) => actionDigest(redacted, print));
  expect(new Set(digests).size).toBe(3);
  expect(digests[0]).toBe(actionDigest(redacted));
});
