import { BUDGET_BUCKETS } from '@mandate/schemas';
import { expect, test } from 'vitest';
import {
  allow,
  begin,
  DAY_MS,
  decide,
  isAllowed,
  limitFactOf,
  type MakeLedger,
  settle,
  spent,
} from './bench.ts';
import { AGENT, budget, planOf, settleRequest, stepRequest, TENANT } from './builders.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;

export function budgets(make: MakeLedger): void {
  test('allows exactly ten calls within a budget, and refuses the eleventh', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ limits: [budget({ maxMicros: 1_000 })] });
    const results = await ledger.step(Array.from({ length: 11 }, () => stepRequest({ plan })));
    const facts = results.map((result) =>
      'facts' in result && 'limits' in result.facts ? result.facts.limits[0] : null,
    );
    expect(facts.map((fact) => fact?.ok)).toEqual([...Array.from({ length: 10 }, () => true), false]);
    expect(facts[10]).toEqual({ kind: 'budget', spentMicros: 1_000, ok: false, retryAfterMs: null });
  });

  test('counts without a limit if the maximum is null, and allows only free calls if the maximum is 0', async () => {
    const { ledger } = await begin(make);
    const plan = (maxMicros: number | null, reserveMicros = 100) =>
      planOf({ reserveMicros, limits: [budget({ id: 'b', maxMicros })] });
    expect(isAllowed(await decide(ledger, stepRequest({ plan: plan(0) })))).toBe(false);
    expect(isAllowed(await decide(ledger, stepRequest({ plan: plan(0, 0) })))).toBe(true);
    expect(isAllowed(await decide(ledger, stepRequest({ plan: plan(null) })))).toBe(true);
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 b': 100, 'agent agent-1 total': 100 });
  });

  test("charges every scope, and the agent's total even if the plan does not list it", async () => {
    const { ledger } = await begin(make);
    const limits = [
      budget({ scope: 'tenant', subject: '', id: 'team' }),
      budget({ scope: 'principal', subject: 'user-1', id: 'p' }),
      budget({ scope: 'mandate', subject: 'bot', id: 'm' }),
      budget({ subject: 'parent' }),
    ];
    const facts = await decide(ledger, stepRequest({ plan: planOf({ limits }) }));
    expect(facts.cumulativeMicros).toBe(100);
    expect(await spent(ledger, TENANT)).toEqual({
      'agent agent-1 total': 100,
      'agent parent total': 100,
      'mandate bot m': 100,
      'principal user-1 p': 100,
      'tenant  team': 100,
    });
  });

  test('charges a counter once if the plan lists it twice', async () => {
    const { ledger } = await begin(make);
    const limits = [budget({ maxMicros: 900 }), budget({ maxMicros: 500 }), budget({ maxMicros: null })];
    await allow(ledger, stepRequest({ plan: planOf({ limits }) }));
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 100 });
  });

  test("shares counters between agents unless a counter is the agent's own, and never between tenants", async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ limits: [budget({ scope: 'tenant', subject: '', id: 'team', maxMicros: 150 })] });
    await allow(ledger, stepRequest({ plan }));
    expect(isAllowed(await decide(ledger, stepRequest({ plan, agentId: 'other' })))).toBe(false);
    expect(isAllowed(await decide(ledger, stepRequest({ plan, tenant: 'other' })))).toBe(true);
  });

  test('frees a charge when the window has passed since the charge, and not earlier', async () => {
    const { ledger, clock } = await begin(make);
    const windowMs = 60_000;
    const widthMs = Math.ceil(windowMs / BUDGET_BUCKETS);
    const plan = planOf({ limits: [budget({ id: 'w', windowMs, maxMicros: 100 })] });
    const startMs = clock();
    await allow(ledger, stepRequest({ plan }));
    const fact = await limitFactOf(ledger, stepRequest({ plan }));
    if (fact.kind !== 'budget' || fact.retryAfterMs === null) throw new Error('expected a wait');
    expect(fact.retryAfterMs).toBeGreaterThanOrEqual(windowMs);
    expect(fact.retryAfterMs).toBeLessThan(windowMs + widthMs);
    clock.set(startMs + fact.retryAfterMs - 1);
    expect(await limitFactOf(ledger, stepRequest({ plan }))).toMatchObject({
      ok: false,
      spentMicros: 100,
      retryAfterMs: 1,
    });
    clock.advance(1);
    expect(await limitFactOf(ledger, stepRequest({ plan }))).toMatchObject({ ok: true, spentMicros: 0 });
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 200, 'agent agent-1 w 60000': 100 });
  });

  test('returns the shortest wait after which enough charges have left the window', async () => {
    const { ledger, clock } = await begin(make);
    const plan = (reserveMicros: number) =>
      planOf({ reserveMicros, limits: [budget({ id: 'w', windowMs: 100, maxMicros: 100 })] });
    const startMs = clock();
    for (const reserveMicros of [10, 40, 50]) {
      await allow(ledger, stepRequest({ plan: plan(reserveMicros) }));
      clock.advance(10);
    }
    const waitFor = async (micros: number) => {
      const fact = await limitFactOf(ledger, stepRequest({ plan: plan(micros) }));
      return fact.kind === 'budget' && !fact.ok && fact.retryAfterMs !== null
        ? clock() + fact.retryAfterMs - startMs
        : null;
    };
    expect([await waitFor(5), await waitFor(11), await waitFor(51), await waitFor(101)]).toEqual([
      100,
      110,
      120,
      null,
    ]);
  });

  test('corrects a charge by its outcome, and the correction leaves the window with the charge', async () => {
    const { ledger, clock } = await begin(make);
    const limits = [budget({ id: 'w', windowMs: 100, maxMicros: 100 })];
    const request = await allow(ledger, stepRequest({ plan: planOf({ limits }) }));
    clock.advance(60);
    await settle(ledger, settleRequest(request, { actualMicros: 70 }));
    expect(await spent(ledger, TENANT)).toMatchObject({ 'agent agent-1 w 100': 70 });
    clock.advance(39);
    expect(await spent(ledger, TENANT)).toMatchObject({ 'agent agent-1 w 100': 70 });
    clock.advance(1);
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 70 });
  });

  test('changes only the lifetime total if the charge has left the window before its outcome', async () => {
    const { ledger, clock } = await begin(make);
    const limits = [budget({ id: 'w', windowMs: 100 })];
    const request = await allow(ledger, stepRequest({ plan: planOf({ limits }) }));
    clock.advance(100);
    await settle(ledger, settleRequest(request, { status: 'cancelled' }));
    expect(await spent(ledger, TENANT)).toEqual({});
  });

  test('keeps sums exact: a charge that would exceed 2^53-1 is refused permanently, even by a budget without a limit', async () => {
    const { ledger } = await begin(make);
    const limits = [budget({ maxMicros: null })];
    await allow(ledger, stepRequest({ plan: planOf({ limits, reserveMicros: LARGEST - 1 }) }));
    const over = await decide(ledger, stepRequest({ plan: planOf({ limits, reserveMicros: 2 }) }));
    expect(over.limits).toEqual([
      { kind: 'budget', spentMicros: LARGEST - 1, ok: false, retryAfterMs: null },
    ]);
    const fits = stepRequest({ plan: planOf({ limits, reserveMicros: 1 }) });
    expect((await decide(ledger, fits)).cumulativeMicros).toBe(LARGEST);
    const beyond = await settle(ledger, settleRequest(fits, { actualMicros: LARGEST }));
    expect(beyond).toMatchObject({ deltaMicros: 0, chargedMicros: 1, cumulativeMicros: LARGEST });
  });

  test.each([null, 60_000])(
    'caps a release so that no credit exceeds the largest one and the sum stays exact: window %s',
    async (windowMs) => {
      const { ledger } = await begin(make);
      const limits = [budget({ id: 'b', windowMs, maxMicros: null })];
      const request = await allow(ledger, stepRequest({ plan: planOf({ limits, reserveMicros: 10 }) }));
      const reference = { scope: 'agent', subject: AGENT, id: 'b', windowMs } as const;
      const command = { by: 'op', reason: 'goodwill', tenant: TENANT, budget: reference };
      await ledger.adjust({ ...command, id: 'a', delta: -LARGEST });
      await ledger.adjust({ ...command, id: 'b', delta: -4 });
      const settled = await settle(ledger, settleRequest(request, { status: 'cancelled' }));
      expect(settled).toMatchObject({ deltaMicros: -6, chargedMicros: 4, cumulativeMicros: 4 });
      await expect(ledger.adjust({ ...command, id: 'c', delta: -1 })).rejects.toMatchObject({
        code: 'ADJUSTMENT_TOO_LARGE',
      });
      expect(isAllowed(await decide(ledger, stepRequest({ plan: planOf({ limits }) })))).toBe(true);
    },
  );

  test('caps an excess charge so that its bucket of the window stays exact', async () => {
    const { ledger, clock } = await begin(make);
    const limits = [budget({ id: 'w', windowMs: 60_000, maxMicros: null })];
    const request = await allow(ledger, stepRequest({ plan: planOf({ limits, reserveMicros: 10 }) }));
    const reference = { scope: 'agent', subject: AGENT, id: 'w', windowMs: 60_000 } as const;
    const command = { by: 'op', reason: 'r', tenant: TENANT, budget: reference };
    await ledger.adjust({ ...command, id: 'a', delta: LARGEST - 10 });
    clock.advance(30_000);
    await ledger.adjust({ ...command, id: 'b', delta: -LARGEST });
    const settled = await settle(ledger, settleRequest(request, { actualMicros: 11 }));
    expect(settled).toMatchObject({ deltaMicros: 0, chargedMicros: 10 });
  });

  test('applies an adjustment once per id for a day, even if other ids are remembered for a shorter time, and may leave a credit', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    const command = { id: 'adj-1', by: 'op', reason: 'goodwill' };
    const reference = { scope: 'agent', subject: AGENT, id: 'total', windowMs: null } as const;
    const adjustment = { ...command, tenant: TENANT, budget: reference, delta: -50 };
    const receipt = await ledger.adjust(adjustment);
    expect(receipt).toEqual({ epoch: ledger.epoch, sequence: 1, atMs: clock(), spent: -50 });
    clock.advance(DAY_MS - 1);
    await ledger.step([stepRequest({ agentId: 'other' })]);
    expect(await ledger.adjust(adjustment)).toEqual(receipt);
    expect(await ledger.adjust({ ...adjustment, id: 'adj-2', delta: 20 })).toMatchObject({
      spent: -30,
      sequence: 3,
    });
    const plan = planOf({ limits: [budget({ maxMicros: 70 })] });
    expect(isAllowed(await decide(ledger, stepRequest({ plan })))).toBe(true);
    const tooMuch = ledger.adjust({ ...adjustment, id: 'adj-3', delta: LARGEST });
    await expect(tooMuch).rejects.toEqual(
      expect.objectContaining({ code: 'ADJUSTMENT_TOO_LARGE', retryable: false }),
    );
    clock.advance(1);
    expect((await ledger.adjust(adjustment)).spent).toBe(20);
  });

  test('removes an adjustment from a window when the window has passed', async () => {
    const { ledger, clock } = await begin(make);
    const reference = { scope: 'tenant', subject: '', id: 'w', windowMs: 100 } as const;
    await ledger.adjust({
      id: 'a',
      by: 'op',
      reason: 'r',
      tenant: TENANT,
      budget: reference,
      delta: 30,
    });
    clock.advance(99);
    expect(await spent(ledger, TENANT)).toEqual({ 'tenant  w 100': 30 });
    clock.advance(1);
    expect(await spent(ledger, TENANT)).toEqual({});
  });

  test('states the sums of some counters in the order of the question, and 0 for a counter without charges', async () => {
    const { ledger, clock } = await begin(make);
    const reference = { scope: 'agent', subject: AGENT, id: 'w', windowMs: 100 } as const;
    const window = budget({ id: 'w', windowMs: 100 });
    await allow(ledger, stepRequest({ plan: planOf({ limits: [window, budget({ id: 'b' })] }) }));
    const asked = [
      { ...reference, id: 'b', windowMs: null },
      { ...reference, windowMs: null },
      reference,
      { ...reference, windowMs: 200 },
      { ...reference, subject: 'other' },
      { ...reference, id: 'b', windowMs: null },
    ];
    expect(await ledger.spent(TENANT, asked)).toEqual([100, 0, 100, 0, 0, 100]);
    clock.advance(100);
    expect(await ledger.spent(TENANT, asked)).toEqual([100, 0, 0, 0, 0, 100]);
    expect(await ledger.spent('other', [reference])).toEqual([0]);
    expect(await ledger.spent(TENANT, [])).toEqual([]);
  });

  test('orders balances by scope, subject, id and window', async () => {
    const { ledger } = await begin(make);
    const limits = [
      budget({ scope: 'tenant', subject: '', id: 'team' }),
      budget({ id: 'b', windowMs: 2_000 }),
      budget({ id: 'b', windowMs: 10_000 }),
      budget({ id: 'b' }),
      budget({ id: 'a' }),
    ];
    await allow(ledger, stepRequest({ plan: planOf({ limits }) }));
    expect(
      (await ledger.balances(TENANT)).map(({ budget: { scope, id, windowMs } }) => [scope, id, windowMs]),
    ).toEqual([
      ['agent', 'a', null],
      ['agent', 'b', null],
      ['agent', 'b', 2_000],
      ['agent', 'b', 10_000],
      ['agent', 'total', null],
      ['tenant', 'team', null],
    ]);
  });
}
