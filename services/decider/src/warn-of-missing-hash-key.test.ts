import { expect, test } from 'vitest';
import { warnOfMissingHashKey } from './warn-of-missing-hash-key.ts';

function warned(hash: readonly string[], hashKey?: string): unknown[] {
  const lines: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void lines.push(line) };
  const sensitiveFields = (tenant: string) => ({ redact: ['pin'], hash: tenant === 'acme' ? hash : [] });
  const tenants = new Map([['acme', {} as never]]);
  warnOfMissingHashKey({ followed: { tenants, mandates: { sensitiveFields } }, hashKey, log });
  return lines;
}

test('logs at the start that policies hash fields, but that there is no key', () => {
  expect(warned(['user_id'])).toEqual([
    [{ count: 1, tenants: ['acme'] }, expect.stringContaining('Set MANDATE_PLANE_HASH_KEY')],
  ]);
});

test('logs nothing if there is a key, or if no policy hashes', () => {
  expect([warned(['user_id'], 'a key of some length'), warned([])]).toEqual([[], []]);
});
