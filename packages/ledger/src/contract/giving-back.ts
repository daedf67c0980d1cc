/** Tests credits to a windowed budget. A credit gives back earlier charges, and never pays for later charges. */
import { BUDGET_BUCKETS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import type { Ledger } from '../port.ts';
import { begin, limitFactOf, type MakeLedger, spent } from './bench.ts';
import { budget, planOf, stepRequest, TENANT } from './builders.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;

export function givingBack(make: MakeLedger): void {
  test('a credit gives no extra room after the charge before it has left the window', async () => {
    const { ledger, clock } = await begin(make);
    const window = windowOf(ledger, 4_000, 100);
    const bucketMs = Math.ceil(4_000 / BUDGET_BUCKETS);
    const startMs = clock();
    expect(await window.take(100)).toMatchObject({ ok: true });
    clock.advance(3_000);
    expect(await window.giveBack(100)).toBe(0);
    clock.set(startMs + 4_000 + bucketMs);
    expect(await window.take(101)).toMatchObject({ ok: false, spentMicros: 0, retryAfterMs: null });
    expect(await window.take(100)).toMatchObject({ ok: true, spentMicros: 0 });
    expect(await window.take(1)).toMatchObject({ ok: false, spentMicros: 100 });
  });

  test('counts a charge after a credit until the charge itself leaves the window', async () => {
    const { ledger, clock } = await begin(make);
    const window = windowOf(ledger, 100, 100);
    const startMs = clock();
    expect(await window.take(100)).toMatchObject({ ok: true });
    clock.advance(50);
    expect(await window.giveBack(100)).toBe(0);
    clock.advance(10);
    expect(await window.take(70)).toMatchObject({ ok: true, spentMicros: 0 });
    for (const ms of [60, 100, 150, 159]) {
      clock.set(startMs + ms);
      expect(await window.take(31)).toMatchObject({ ok: false, spentMicros: 70, retryAfterMs: 160 - ms });
    }
    clock.advance(1);
    expect(await window.take(100)).toMatchObject({ ok: true, spentMicros: 0 });
  });

  test('caps a credit at the charges in the window, so that it never pays for later charges', async () => {
    const { ledger, clock } = await begin(make);
    const window = windowOf(ledger, 100, 100);
    expect(await window.giveBack(50)).toBe(0);
    clock.advance(1);
    expect(await window.take(101)).toMatchObject({ ok: false, retryAfterMs: null });
    expect(await window.take(30)).toMatchObject({ ok: true, spentMicros: 0 });
    clock.advance(1);
    expect(await window.giveBack(LARGEST)).toBe(0);
    await expect(window.giveBack(1)).rejects.toMatchObject({ code: 'ADJUSTMENT_TOO_LARGE' });
    clock.advance(1);
    expect(await window.take(100)).toMatchObject({ ok: true, spentMicros: 0 });
    expect(await spent(ledger, TENANT)).toMatchObject({ 'agent agent-1 w 100': 100 });
    clock.advance(99);
    expect(await window.take(1)).toMatchObject({ ok: false, spentMicros: 100, retryAfterMs: 1 });
  });

  test('applies each credit to the charges before it, with exact waits', async () => {
    const { ledger, clock } = await begin(make);
    const window = windowOf(ledger, 100, 100);
    const startMs = clock();
    const at = (ms: number) => clock.set(startMs + ms);
    expect(await window.take(60)).toMatchObject({ ok: true });
    at(10);
    expect(await window.giveBack(20)).toBe(40);
    at(20);
    expect(await window.take(50)).toMatchObject({ ok: true, spentMicros: 40 });
    at(30);
    expect(await window.giveBack(70)).toBe(20);
    at(40);
    expect(await window.take(80)).toMatchObject({ ok: true, spentMicros: 20 });
    // The charge of 60 uses 40 of the credits before it leaves. The charge of 50 uses the rest, so nothing is left
    // for later charges.
    expect(await window.take(1)).toMatchObject({ ok: false, spentMicros: 100, retryAfterMs: 60 });
    expect(await window.take(21)).toMatchObject({ ok: false, spentMicros: 100, retryAfterMs: 100 });
    for (const ms of [100, 110, 120, 130, 139]) {
      at(ms);
      expect(await window.take(21)).toMatchObject({ ok: false, spentMicros: 80, retryAfterMs: 140 - ms });
    }
    at(140);
    expect(await window.take(21)).toMatchObject({ ok: true, spentMicros: 0 });
  });
}

/** Returns one windowed budget, with functions to charge and credit it. */
function windowOf(ledger: Ledger, windowMs: number, maxMicros: number) {
  const limit = budget({ id: 'w', windowMs, maxMicros });
  const { scope, subject, id } = limit;
  let given = 0;
  return {
    /** Charges the amount if the budget allows it. Returns the fact about the budget. */
    take: (reserveMicros: number) =>
      limitFactOf(ledger, stepRequest({ plan: planOf({ reserveMicros, limits: [limit] }) })),
    /** Credits the amount. Returns the spent amount after the credit. */
    giveBack: async (micros: number) => {
      given += 1;
      const command = { id: `give-${given}`, by: 'op', reason: 'goodwill', tenant: TENANT };
      const reference = { scope, subject, id, windowMs };
      return (await ledger.adjust({ ...command, budget: reference, delta: -micros })).spent;
    },
  };
}
