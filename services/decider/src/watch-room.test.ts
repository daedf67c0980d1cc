import { MandateError, silentLogger } from '@mandate/runtime';
import { createMetrics } from '@mandate/server';
import { waitUntil } from '@mandate/testing';
import { expect, onTestFinished, test } from 'vitest';
import { deciderMeasures } from './measures.ts';
import { type WatchedRoom, watchRoom } from './watch-room.ts';

/**
 * Watches a ledger. `remembered` is the number of deliveries of each tenant; the limit is 100. Returns a function
 * that reads the metrics.
 */
function watching(remembered: Map<string, number>, usedShare: () => Promise<number | null>) {
  const metrics = createMetrics({ service: 'decider' });
  const ledger: WatchedRoom['ledger'] = {
    system: 'redis',
    tenants: async () => [...remembered.keys()],
    remembered: async (tenant) => remembered.get(tenant) ?? 0,
    usedShare,
  };
  const watched = { ledger, maxRemembered: () => 100, log: silentLogger(), everyMs: 1 };
  const watch = watchRoom(watched, deciderMeasures(metrics));
  onTestFinished(() => watch.stop());
  return async () => {
    const lines = (await metrics.registry.metrics()).split('\n');
    return lines.filter((line) => /^mandate_decider_(ledger_used|tenant_remembered)_ratio\{/.test(line));
  };
}

const ofTenant = (tenant: string, share: number) =>
  `mandate_decider_tenant_remembered_ratio{tenant="${tenant}",service="decider"} ${share}`;

test('shows the used share of the whole ledger, and of each tenant that has used at least half of its limit', async () => {
  const remembered = new Map([
    ['acme', 90],
    ['globex', 49],
  ]);
  const series = watching(remembered, async () => 0.7);
  const used = 'mandate_decider_ledger_used_ratio{store="redis",service="decider"} 0.7';
  await waitUntil('both', async () => (await series()).length === 2);
  expect((await series()).sort()).toEqual([used, ofTenant('acme', 0.9)].sort());
  remembered.set('acme', 10).set('globex', 50);
  await waitUntil('the other', async () => (await series()).includes(ofTenant('globex', 0.5)));
  expect(await series()).not.toContainEqual(expect.stringContaining('acme'));
});

test('shows only the 50 fullest tenants', async () => {
  const tenants = Array.from({ length: 60 }, (_, at) => [`t-${at}`, 100 - at / 2] as const);
  const series = watching(new Map(tenants), async () => null);
  await waitUntil('them', async () => (await series()).length === 50);
  expect((await series()).sort()).toEqual(
    tenants
      .slice(0, 50)
      .map(([tenant, count]) => ofTenant(tenant, count / 100))
      .sort(),
  );
});

test('measures again if the ledger did not answer', async () => {
  let isAway = true;
  const series = watching(new Map(), async () => {
    if (isAway) throw new MandateError('LEDGER_UNAVAILABLE', 'away', { remedy: '', retryable: true });
    return 0.5;
  });
  isAway = false;
  await waitUntil('it', async () => (await series()).length === 1);
});
