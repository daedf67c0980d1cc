import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairRoom, type Held } from './fair-room.ts';

const ROOM = { most: 12, ofATenant: 8, ofAKey: 5 };

/**
 * Returns a `FairRoom` and functions to take room in it. `cut` contains the names of the holders that lost their
 * room.
 */
function roomWith(room = ROOM) {
  const fair = new FairRoom(room);
  const cut: string[] = [];
  const held = (name: string, state: Held['state'] = 'idle'): Held => {
    const [tenant = '', key = ''] = name.split('/');
    return { holder: { tenant, key: `${tenant}/${key}` }, state, cut: () => cut.push(name) };
  };
  const take = (name: string, more = 1, state?: Held['state']) => fair.take(held(name, state), more);
  return { fair, cut, held, take };
}

describe('capacity shared by tenants', () => {
  test('allows a part of the capacity to a key, a larger part to its tenant, and the whole to all tenants together', () => {
    const { take } = roomWith();
    expect([take('a/1', 5, 'busy'), take('a/1', 1, 'busy')]).toEqual([true, false]);
    expect([take('a/2', 3, 'busy'), take('a/2', 3, 'busy')]).toEqual([true, false]);
    expect([take('b/1', 4, 'busy'), take('b/1', 1, 'busy'), take('c/1', 12)]).toEqual([true, true, false]);
  });

  test('gives returned capacity to others at once', () => {
    const { fair, held } = roomWith();
    const one = held('a/1', 'busy');
    expect([fair.take(one, 2), fair.take(one, 3), fair.amount, fair.amountOf('a')]).toEqual([
      true,
      true,
      5,
      5,
    ]);
    fair.leave(one);
    fair.leave(one);
    expect([fair.amount, fair.amountOf('a')]).toEqual([0, 0]);
  });

  test('cuts the oldest idle thing of the largest holder for a smaller holder', () => {
    const { cut, take } = roomWith();
    take('a/1', 2, 'busy');
    take('a/1', 2);
    take('a/2', 4);
    take('b/1', 4, 'busy');
    expect(take('c/1', 2)).toBe(true);
    expect(cut).toEqual(['a/1']);
  });

  test('cuts no busy thing for a holder that would then have the same amount', () => {
    const { cut, take } = roomWith();
    for (const name of ['a/1', 'b/1', 'c/1']) take(name, 4, 'busy');
    expect([take('c/2'), take('d/1', 4), cut]).toEqual([false, false, []]);
    expect([take('d/1', 3), cut]).toEqual([true, ['a/1']]);
  });

  test('cuts an idle thing for a holder that will have the same amount, but not for a holder that will have more', () => {
    const { cut, take } = roomWith();
    for (const name of ['a/1', 'b/1', 'c/1']) take(name, 4);
    expect([take('d/1', 5), cut]).toEqual([false, []]);
    expect([take('d/1', 4), cut]).toEqual([true, ['a/1']]);
  });

  test('cuts an idle thing of a key at its own limit, for that key', () => {
    const { cut, take } = roomWith();
    take('a/1', 4, 'busy');
    take('a/1', 1);
    expect([take('a/1', 1, 'busy'), cut]).toEqual([true, ['a/1']]);
    expect(take('a/1', 1)).toBe(false);
  });

  test('cuts a renewed thing last', () => {
    const { fair, held, cut, take } = roomWith({ most: 2, ofATenant: 2, ofAKey: 2 });
    const [first, second] = [held('a/1'), held('a/1')];
    Object.assign(second, { cut: () => cut.push('second') });
    fair.take(first, 1);
    fair.take(second, 1);
    fair.renew(first);
    expect([take('b/1'), cut]).toEqual([true, ['second']]);
  });
});

describe('any sequence of `take` and `leave`', () => {
  const names = fc.constantFrom('a/1', 'a/2', 'b/1', 'c/1', 'c/2', 'd/1');
  const states = fc.constantFrom<Held['state'][]>('idle', 'busy');
  const steps = fc.array(
    fc.oneof(
      fc.record({
        does: fc.constant('take' as const),
        name: names,
        state: states,
        more: fc.integer({ min: 1, max: 6 }),
      }),
      fc.record({ does: fc.constant('leave' as const), at: fc.nat(20) }),
    ),
    { maxLength: 60 },
  );

  test('exceeds no limit, counts exactly the taken amount, and cuts each thing once', () => {
    fc.assert(
      fc.property(steps, (played) => {
        const fair = new FairRoom(ROOM);
        const there = new Map<Held, number>();
        for (const step of played) {
          if (step.does === 'leave') {
            const held = [...there.keys()][step.at];
            if (held !== undefined) {
              fair.leave(held);
              there.delete(held);
            }
            continue;
          }
          const [tenant = '', key = ''] = step.name.split('/');
          const held: Held = {
            holder: { tenant, key: tenant + key },
            state: step.state,
            cut: () => {
              expect(there.delete(held)).toBe(true);
            },
          };
          if (fair.take(held, step.more)) there.set(held, step.more);
          const sum = (of: (one: Held) => boolean) =>
            [...there].reduce((all, [one, amount]) => all + (of(one) ? amount : 0), 0);
          expect(fair.amount).toBe(sum(() => true));
          expect(fair.amount).toBeLessThanOrEqual(ROOM.most);
          for (const { holder } of there.keys()) {
            expect(fair.amountOf(holder.tenant)).toBe(sum((one) => one.holder.tenant === holder.tenant));
            expect(fair.amountOf(holder.tenant)).toBeLessThanOrEqual(ROOM.ofATenant);
            expect(sum((one) => one.holder.key === holder.key)).toBeLessThanOrEqual(ROOM.ofAKey);
          }
        }
      }),
    );
  });

  test('gives capacity to a tenant that has none while other tenants hoard', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.constantFrom<Held['state'][]>('idle', 'busy'))), (hoarded) => {
        const { take } = roomWith();
        for (const [name, state] of hoarded) take(name, 1, state);
        expect(take('newcomer/1')).toBe(true);
      }),
    );
  });
});
