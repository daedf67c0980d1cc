import { expect, test } from 'vitest';
import { DEFAULTS } from './defaults.ts';
import { limitsInForce, tenantLimits } from './tenant-limits.ts';

test('gives a tenant without limits of its own the default limits, and a key half of them', () => {
  const limits = limitsInForce();
  expect(limits.rememberedIds).toBe(DEFAULTS.rememberedIds);
  expect(limits.publishedRecords).toEqual({
    tenant: { perSecond: 2_000, burst: 20_000, perDay: 70_000_000 },
    key: { perSecond: 1_000, burst: 10_000, perDay: 35_000_000 },
  });
  expect(limits.refusals.agent).toEqual({ perSecond: 1, burst: 600, perDay: null });
});

test('a fleet of 400 agents that each call once a second stays below the default limits', () => {
  const { publishedRecords, publishedBytes } = limitsInForce();
  const [perSecond, bytes] = [800, 800 * 1_024];
  for (const { tenant, key } of [publishedRecords]) {
    expect(key.perSecond).toBeGreaterThan(perSecond);
    expect(tenant.perDay).toBeGreaterThan(perSecond * 86_400);
  }
  expect(publishedBytes.key.perSecond).toBeGreaterThan(bytes);
  expect(publishedBytes.tenant.perDay).toBeGreaterThan(bytes * 86_400);
});

test('applies the limits of a tenant, with a default burst of ten seconds, and half of each limit for a key', () => {
  const limits = limitsInForce({ publish: { records: { perSecond: 7 } }, changes: { burst: 1 } });
  expect(limits.publishedRecords).toEqual({
    tenant: { perSecond: 7, burst: 70, perDay: 70_000_000 },
    key: { perSecond: 4, burst: 35, perDay: 35_000_000 },
  });
  expect(limits.changes).toEqual({
    tenant: { perSecond: 50, burst: 1, perDay: 500_000 },
    key: { perSecond: 25, burst: 1, perDay: 250_000 },
  });
});

test("allows a limit for keys that is above half of the tenant's limit", () => {
  const { publishedRecords } = limitsInForce({
    publish: { records: { perSecond: 100, burst: 200, perDay: 300 } },
    publishPerKey: { records: { perSecond: 90 } },
  });
  expect(publishedRecords.key).toEqual({ perSecond: 90, burst: 900, perDay: 150 });
});

test('a limit of 0 allows nothing', () => {
  const { publishedRecords } = limitsInForce({ publish: { records: { perSecond: 0, perDay: 0 } } });
  expect(publishedRecords.tenant).toEqual({ perSecond: 0, burst: 0, perDay: 0 });
});

test.each([
  { publish: { records: { perSecond: -1 } } },
  { publish: { records: { perSecond: 1.5 } } },
  { publish: { records: { perHour: 1 } } },
  { refusals: { perDay: 1 } },
  { rememberedIds: 2 ** 53 },
])('refuses %j', (limits) => {
  expect(tenantLimits.safeParse(limits).success).toBe(false);
});
