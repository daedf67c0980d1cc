import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Waiting, WebhookQueue } from './webhook-queue.ts';

let made = 0;
const waiting = (tenant: string | null, dueAtMs = 0): Waiting => ({
  alertId: `alr_${made++}`,
  tenant,
  attempts: 0,
  dueAtMs,
});

test('holds at most its maximum number of alerts, and never removes an alert of a tenant that has no more than its share', () => {
  const step = fc.record({
    tenant: fc.oneof({ weight: 4, arbitrary: fc.constant('flood') }, fc.constantFrom('a', 'b', null)),
    goes: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 12 }), fc.array(step, { maxLength: 100 }), (most, steps) => {
      const queue = new WebhookQueue(most);
      const there = new Set<Waiting>();
      const of = (tenant: string | null) => [...there].filter((one) => one.tenant === tenant).length;
      for (const { tenant, goes } of steps) {
        const next = goes ? queue.next(0) : undefined;
        if (next !== undefined) {
          queue.remove(next);
          there.delete(next);
        }
        const comes = waiting(tenant);
        there.add(comes);
        const givesWay = queue.add(comes);
        expect(givesWay !== null).toBe(there.size > most);
        if (givesWay === null) continue;
        // With four tenants, the share of each tenant is a quarter.
        expect(of(givesWay.tenant)).toBeGreaterThan(most / 4);
        expect(of(givesWay.tenant)).toBe(Math.max(...[...there].map((one) => of(one.tenant))));
        there.delete(givesWay);
      }
      expect(queue.size).toBe(there.size);
      for (const one of there) expect(queue.has(one)).toBe(true);
    }),
  );
});

test('tenants take turns, each in its own order, however many alerts a tenant has', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c', null), { maxLength: 60 }), (tenants) => {
      const queue = new WebhookQueue(100);
      const all = tenants.map((tenant) => waiting(tenant));
      for (const one of all) queue.add(one);
      const served: Waiting[] = [];
      for (let next = queue.next(0); next !== undefined; next = queue.next(0)) {
        queue.remove(next);
        served.push(next);
      }
      expect(new Set(served)).toEqual(new Set(all));
      const nth = new Map<string | null, number>();
      const rounds = served.map(({ tenant }) => {
        nth.set(tenant, (nth.get(tenant) ?? 0) + 1);
        return nth.get(tenant) ?? 0;
      });
      expect(rounds).toEqual(rounds.toSorted((one, other) => one - other));
      for (const tenant of nth.keys()) {
        const own = (list: readonly Waiting[]) => list.filter((one) => one.tenant === tenant);
        expect(own(served)).toEqual(own(all));
      }
    }),
  );
});

test('an alert that waits for a retry delays no other alert, and is first again when the retry is due', () => {
  const queue = new WebhookQueue(10);
  const [failed, later] = [waiting('a', 50), waiting('a', 60)];
  for (const one of [failed, later]) queue.add(one);
  expect([queue.next(49), queue.dueAtMs()]).toEqual([undefined, 50]);
  expect(queue.next(60)).toBe(failed);
  failed.dueAtMs = 100;
  expect(queue.next(60)).toBe(later);
  queue.remove(later);
  expect([queue.next(99), queue.next(100)]).toEqual([undefined, failed]);
  queue.remove(failed);
  expect(queue.dueAtMs()).toBe(Number.POSITIVE_INFINITY);
});

test('removes the new alert if all tenants have the same number of alerts', () => {
  const queue = new WebhookQueue(2);
  const all = ['a', 'b', 'c', 'a'].map((tenant) => waiting(tenant));
  expect(all.map((one) => queue.add(one))).toEqual([null, null, all[2], all[3]]);
});
