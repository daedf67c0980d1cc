import { manualClock } from '@mandate/runtime';
import { limitsInForce, type TenantLimits } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { type Amount, type Spending, Throughputs } from './throughputs.ts';

const ANN = { tenant: 'acme', id: 'ann' };
const BOB = { tenant: 'acme', id: 'bob' };
const EVE = { tenant: 'other', id: 'eve' };

function throughputs(limits: TenantLimits) {
  const clock = manualClock(1_000_000);
  const inForce = limitsInForce(limits);
  return { clock, throughputs: new Throughputs({ limits: () => inForce, clock }) };
}

const each = { perSecond: 1, burst: 10, perDay: 1_000 };

describe('a tenant', () => {
  test.each<[Spending, TenantLimits, Amount, string]>([
    ['publish', { publish: { records: each } }, { records: 1, bytes: 1 }, 'publish.records'],
    ['publish', { publish: { bytes: each } }, { records: 1, bytes: 1 }, 'publish.bytes'],
    ['changes', { changes: each }, { records: 1 }, 'changes'],
    ['reads', { reads: each }, { records: 1 }, 'reads'],
  ])(
    'may write up to its limit of %s by %j, and each of its keys up to half',
    (spending, limits, amount, limit) => {
      const { clock, throughputs: counted } = throughputs(limits);
      const taken = (who: typeof ANN) => {
        for (let times = 0; ; times += 1) {
          const over = counted.take(spending, who, amount);
          if (over !== null) return [times, over];
        }
      };
      expect(taken(ANN)).toEqual([5, { limit, of: 'key', waitMs: 1_000 }]);
      expect(taken(BOB)).toEqual([5, { limit, of: 'key', waitMs: 1_000 }]);
      expect(taken({ ...ANN, id: 'cid' })).toEqual([0, { limit, of: 'tenant', waitMs: 1_000 }]);
      expect(taken(EVE)).toEqual([5, { limit, of: 'key', waitMs: 1_000 }]);
      clock.advance(1_000);
      expect(taken(BOB)).toEqual([1, { limit, of: 'key', waitMs: 1_000 }]);
    },
  );

  test('is counted separately for each limit', () => {
    const { throughputs: counted } = throughputs({ changes: each, reads: each });
    for (let times = 0; times < 5; times += 1) counted.take('changes', ANN, { records: 1 });
    expect(counted.over('changes', ANN, { records: 1 })).toMatchObject({ limit: 'changes' });
    expect(counted.over('reads', ANN, { records: 1 })).toBeNull();
  });
});

test('counts nothing for any limit if one limit refuses', () => {
  const { throughputs: counted } = throughputs({ publish: { records: each, bytes: each } });
  counted.take('publish', ANN, { records: 1, bytes: 5 });
  expect(counted.take('publish', ANN, { records: 2, bytes: 3 })).toMatchObject({
    limit: 'publish.bytes',
    waitMs: 3_000,
  });
  expect(counted.take('publish', ANN, { records: 4, bytes: 0 })).toBeNull();
});

test('reports the longest wait of all limits', () => {
  const { throughputs: both } = throughputs({ publish: { records: each, bytes: each } });
  both.take('publish', ANN, { records: 5, bytes: 5 });
  expect(both.over('publish', ANN, { records: 1, bytes: 3 })).toMatchObject({
    limit: 'publish.bytes',
    waitMs: 3_000,
  });
  const { throughputs: counted } = throughputs({ publish: { records: { ...each, perDay: 4 } } });
  counted.take('publish', ANN, { records: 2 });
  expect(counted.take('publish', ANN, { records: 4 })).toEqual({
    limit: 'publish.records',
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

test('keeps the count of a key at its limit, even if many others are counted', () => {
  const { throughputs: counted } = throughputs({ changes: each });
  counted.take('changes', ANN, { records: 5 });
  for (let at = 0; at < 6_000; at += 1)
    counted.take('changes', { tenant: `tenant-${at}`, id: `key-${at}` }, { records: 1 });
  expect(counted.over('changes', ANN, { records: 1 })).toMatchObject({ of: 'key', waitMs: 1_000 });
});
