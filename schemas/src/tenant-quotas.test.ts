import { expect, test } from 'vitest';
import { DEFAULTS } from './defaults.ts';
import { quotasInForce, tenantQuotas } from './tenant-quotas.ts';

test('gives a tenant without its own quotas the default quotas, and each key half of them', () => {
  const quotas = quotasInForce();
  expect(quotas.rememberedIds).toBe(DEFAULTS.rememberedIds);
  expect(quotas.publishedRecords).toEqual({
    tenant: { perSecond: 2_000, burst: 20_000, perDay: 70_000_000 },
    key: { perSecond: 1_000, burst: 10_000, perDay: 35_000_000 },
  });
  expect(quotas.refusals.agent).toEqual({ perSecond: 1, burst: 600, perDay: null });
});

test('a fleet of 400 agents that each call once a second stays below the default quotas', () => {
  const { publishedRecords, publishedBytes } = quotasInForce();
  const [perSecond, bytes] = [800, 800 * 1_024];
  for (const { tenant, key } of [publishedRecords]) {
    expect(key.perSecond).toBeGreaterThan(perSecond);
    expect(tenant.perDay).toBeGreaterThan(perSecond * 86_400);
  }
  expect(publishedBytes.key.perSecond).toBeGreaterThan(bytes);
  expect(publishedBytes.tenant.perDay).toBeGreaterThan(bytes * 86_400);
});

test('applies the quotas of a tenant, with a default burst of ten seconds, and half of each quota for a key', () => {
  const quotas = quotasInForce({ publish: { records: { perSecond: 7 } }, changes: { burst: 1 } });
  expect(quotas.publishedRecords).toEqual({
    tenant: { perSecond: 7, burst: 70, perDay: 70_000_000 },
    key: { perSecond: 4, burst: 35, perDay: 35_000_000 },
  });
  expect(quotas.changes).toEqual({
    tenant: { perSecond: 50, burst: 1, perDay: 500_000 },
    key: { perSecond: 25, burst: 1, perDay: 250_000 },
  });
});

test("allows a quota for keys that is above half of the tenant's quota", () => {
  const { publishedRecords } = quotasInForce({
    publish: { records: { perSecond: 100, burst: 200, perDay: 300 } },
    publishPerKey: { records: { perSecond: 90 } },
  });
  expect(publishedRecords.key).toEqual({ perSecond: 90, burst: 900, perDay: 150 });
});

test('a quota of 0 allows nothing', () => {
  const { publishedRecords } = quotasInForce({ publish: { records: { perSecond: 0, perDay: 0 } } });
  expect(publishedRecords.tenant).toEqual({ perSecond: 0, burst: 0, perDay: 0 });
});

test.each([
  { publish: { records: { perSecond: -1 } } },
  { publish: { records: { perSecond: 1.5 } } },
  { publish: { records: { perHour: 1 } } },
  { refusals: { perDay: 1 } },
  { rememberedIds: 2 ** 53 },
])('refuses %j', (quotas) => {
  expect(tenantQuotas.safeParse(quotas).success).toBe(false);
});
