import { DEFAULTS } from '@mandate/schemas';
import { issueApiKey } from '@mandate/server';
import { expect, test } from 'vitest';
import { expiringIn } from './measure-expiring-keys.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');
const key = (lastsMs: number | null) =>
  issueApiKey({ tenant: 'acme', scopes: ['audit'], agents: ['*'], name: 'x', lastsMs }, () => NOW_MS).record;

test('counts the valid keys that expire within two weeks', () => {
  const soon = key(DEFAULTS.keyExpiryWarningMs);
  const keys = [
    soon,
    key(DEFAULTS.keyExpiryWarningMs + 1),
    key(null),
    { ...soon, revokedAt: soon.createdAt },
  ];
  expect(expiringIn(keys, NOW_MS)).toBe(1);
  expect(expiringIn(keys, NOW_MS + 1)).toBe(2);
  expect(expiringIn([soon], NOW_MS + DEFAULTS.keyExpiryWarningMs)).toBe(0);
});
