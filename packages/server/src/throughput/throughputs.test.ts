import { manualClock } from '@mandate/runtime';
import { quotasInForce, type TenantQuotas } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { type Amount, type Spending, Throughputs } from './throughputs.ts';

const ANN = { tenant: 'acme', id: 'ann' };
const BOB = { tenant: 'acme', id: 'bob' };
const EVE = { tenant: 'other', id: 'eve' };

function throughputs(quotas: TenantQuotas) {
  const clock = manualClock(1_000_000);
  const inForce = quotasInForce(quotas);
  return { clock, throughputs: new Throughputs({ quotas: () => inForce, clock }) };
}

const each = { perSecond: 1, burst: 10, perDay: 1_000 };

describe('a tenant', () => {
  test.each<[Spending, TenantQuotas, Amount, string]>([
    ['publish', { publish: { records: each } }, { records: 1, bytes: 1 }, 'publish.records'],
    ['publish', { publish: { bytes: each } }, { records: 1, bytes: 1 }, 'publish.bytes'],
    ['changes', { changes: each }, { records: 1 }, 'changes'],
    ['reads', { reads: each }, { records: 1 }, 'reads'],
  ])(
    'may use its whole quota of %s (%j), and each of its keys may use half of it',
    (spending, quotas, amount, quota) => {
      const { clock, throughputs: counted } = throughputs(quotas);
      const taken = (who: typeof ANN) => {
        for (let times = 0; ; times += 1) {
          const over = counted.take(spending, who, amount);
          if (over !== null) return [times, over];
        }
      };
      expect(taken(ANN)).toEqual([5, { quota, of: 'key', waitMs: 1_000 }]);
      expect(taken(BOB)).toEqual([5, { quota, of: 'key', waitMs: 1_000 }]);
      expect(taken({ ...ANN, id: 'cid' })).toEqual([0, { quota, of: 'tenant', waitMs: 1_000 }]);
      expect(taken(EVE)).toEqual([5, { quota, of: 'key', waitMs: 1_000 }]);
      clock.advance(1_000);
      expect(taken(BOB)).toEqual([1, { quota, of: 'key', waitMs: 1_000 }]);
    },
  );

  test('is counted separately for each quota', () => {
    const { throughputs: counted } = throughputs({ changes: each, reads: each });
    for (let times = 0; times < 5; times += 1) counted.take('changes', ANN, { records: 1 });
    expect(counted.over('changes', ANN, { records: 1 })).toMatchObject({ quota: 'changes' });
    expect(counted.over('reads', ANN, { records: 1 })).toBeNull();
  });
});

test('counts nothing for any quota if one quota refuses', () => {
  const { throughputs: counted } = throughputs({ publish: { records: each, bytes: each } });
  counted.take('publish', ANN, { records: 1, bytes: 5 });
  expect(counted.take('publish', ANN, { records: 2, bytes: 3 })).toMatchObject({
    quota: 'publish.bytes',
    waitMs: 3_000,
  });
  expect(counted.take('publish', ANN, { records: 4, bytes: 0 })).toBeNull();
});

test('reports the longest wait of all quotas', () => {
  const { throughputs: both } = throughputs({ publish: { records: each, bytes: each } });
  both.take('publish', ANN, { records: 5, bytes: 5 });
  expect(both.over('publish', ANN, { records: 1, bytes: 3 })).toMatchObject({
    quota: 'publish.bytes',
    waitMs: 3_000,
  });
  const { throughputs: counted } = throughputs({ publish: { records: { ...each, perDay: 4 } } });
  counted.take('publish', ANN, { records: 2 });
  expect(counted.take('publish', ANN, { records: 4 })).toEqual({
    quota: 'publish.records',
    of: 'key',
    waitMs: 86_400_000 - 1_000_000,
  });
});

test('removes the counts of thousands of keys after their day is over', () => {
  const { clock, throughputs: counted } = throughputs({ changes: { perSecond: 1, burst: 100_000 } });
  for (let day = 0; day < 3; day += 1) {
    for (let at = 0; at < 6_000; at += 1)
      counted.take('changes', { tenant: 'acme', id: `${day} ${at}` }, { records: 1 });
    clock.advance(86_400_000);
  }
  expect(counted.size).toBeLessThan(15_000);
});

test('keeps the count of a key at its quota, even if many others are counted', () => {
  const { throughputs: counted } = throughputs({ changes: each });
  counted.take('changes', ANN, { records: 5 });
  for (let at = 0; at < 6_000; at += 1)
    counted.take('changes', { tenant: `tenant-${at}`, id: `key-${at}` }, { records: 1 });
  expect(counted.over('changes', ANN, { records: 1 })).toMatchObject({ of: 'key', waitMs: 1_000 });
});
