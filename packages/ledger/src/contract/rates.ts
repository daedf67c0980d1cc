import { DEFAULTS, personCounter } from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import { allow, begin, decide, isAllowed, limitFactOf, type MakeLedger, settle } from './bench.ts';
import { budget, openLimit, planOf, rate, settleRequest, stepRequest } from './builders.ts';

export function rates(make: MakeLedger): void {
  test('allows at most the maximum number of calls in any window, with exact waits', async () => {
    const { ledger, clock } = await begin(make);
    const plan = planOf({ limits: [rate({ maxCalls: 2, windowMs: 1_000 })] });
    await allow(ledger, stepRequest({ plan }));
    clock.advance(300);
    await allow(ledger, stepRequest({ plan }));
    expect(await limitFactOf(ledger, stepRequest({ plan }))).toEqual({
      kind: 'rate',
      calls: 2,
      ok: false,
      retryAfterMs: 700,
    });
    clock.advance(699);
    expect(await limitFactOf(ledger, stepRequest({ plan }))).toMatchObject({ ok: false, retryAfterMs: 1 });
    clock.advance(1);
    expect(await limitFactOf(ledger, stepRequest({ plan }))).toEqual({
      kind: 'rate',
      calls: 1,
      ok: true,
      retryAfterMs: null,
    });
    expect(await limitFactOf(ledger, stepRequest({ plan }))).toMatchObject({
      calls: 2,
      ok: false,
      retryAfterMs: 300,
    });
  });

  test('waits after a limit was lowered until enough calls have left the window', async () => {
    const { ledger, clock } = await begin(make);
    const plan = (maxCalls: number) => planOf({ limits: [rate({ maxCalls })] });
    for (let call = 0; call < 4; call += 1) {
      await allow(ledger, stepRequest({ plan: plan(4) }));
      clock.advance(10);
    }
    expect(await limitFactOf(ledger, stepRequest({ plan: plan(2) }))).toMatchObject({
      calls: 4,
      retryAfterMs: 980,
    });
  });

  test('counts the calls for a person whichever agent calls, and apart from the calls of an agent', async () => {
    const { ledger, clock } = await begin(make);
    const ofPerson = (id: string | undefined) =>
      planOf({ limits: [rate({ scope: 'principal', agentId: personCounter(id), maxCalls: 2 })] });
    await allow(ledger, stepRequest({ plan: ofPerson('u1') }));
    clock.advance(300);
    await allow(ledger, stepRequest({ agentId: 'agent-2', plan: ofPerson('u1') }));
    const third = (id: string | undefined) => stepRequest({ agentId: 'agent-3', plan: ofPerson(id) });
    expect(await limitFactOf(ledger, third('u1'))).toMatchObject({ calls: 2, ok: false, retryAfterMs: 700 });
    expect(await limitFactOf(ledger, third('u2'))).toMatchObject({ calls: 0, ok: true });
    expect(await limitFactOf(ledger, third(undefined))).toMatchObject({ calls: 0, ok: true });
    const ofAgent = planOf({ limits: [rate({ agentId: 'u1' })] });
    expect(await limitFactOf(ledger, stepRequest({ agentId: 'u1', plan: ofAgent }))).toMatchObject({
      calls: 0,
    });
    clock.advance(700);
    expect(await limitFactOf(ledger, third('u1'))).toMatchObject({ calls: 1, ok: true });
  });

  describe('open calls', () => {
    const limits = [openLimit({ maxCalls: 2 })];
    const asking = () => stepRequest({ plan: planOf({ limits }) });

    test('are limited in number until their outcomes settle them', async () => {
      const { ledger, clock } = await begin(make);
      const first = asking();
      await allow(ledger, first);
      clock.advance(100);
      await allow(ledger, asking());
      const retryAfterMs = DEFAULTS.openWindowMs - 100;
      expect(await limitFactOf(ledger, asking())).toEqual({
        kind: 'rate',
        calls: 2,
        ok: false,
        retryAfterMs,
      });
      await settle(ledger, settleRequest(first));
      expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 1, ok: true });
      expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 2, ok: false });
    });

    test('are settled once, and without an outcome they are open for a limited time', async () => {
      const { ledger, clock } = await begin(make);
      const first = asking();
      await allow(ledger, first);
      await allow(ledger, asking());
      for (let report = 0; report < 3; report += 1) await settle(ledger, settleRequest(first));
      expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 1, ok: true });
      clock.advance(DEFAULTS.openWindowMs);
      expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 0, ok: true });
    });

    test('are counted within one step with several requests as in several steps', async () => {
      const { ledger } = await begin(make);
      const [first, second, third, fourth] = [asking(), asking(), asking(), asking()];
      const results = await ledger.step([first, second, third, settleRequest(first), fourth, asking()]);
      const seen = results.map((result) =>
        result.kind === 'decided'
          ? result.facts.limits.map((fact) => [fact.ok, 'calls' in fact && fact.calls])
          : [],
      );
      expect(seen).toEqual([[[true, 0]], [[true, 1]], [[false, 2]], [], [[true, 1]], [[false, 2]]]);
    });

    test('do not include calls without such a limit, or calls of other agents', async () => {
      const { ledger } = await begin(make);
      const other = stepRequest({ plan: planOf() });
      await allow(ledger, other);
      await allow(ledger, asking());
      await settle(ledger, settleRequest(other));
      expect(await limitFactOf(ledger, asking())).toMatchObject({ calls: 1 });
      const ofOther = planOf({ limits: [openLimit({ agentId: 'agent-2', maxCalls: 1 })] });
      expect(await limitFactOf(ledger, stepRequest({ agentId: 'agent-2', plan: ofOther }))).toMatchObject({
        calls: 0,
      });
    });
  });

  test('allows no call if the rate is zero', async () => {
    const { ledger } = await begin(make);
    const fact = await limitFactOf(
      ledger,
      stepRequest({ plan: planOf({ limits: [rate({ maxCalls: 0 })] }) }),
    );
    expect(fact).toEqual({ kind: 'rate', calls: 0, ok: false, retryAfterMs: null });
  });

  test('takes no slot for a refused action, and never gives a slot back', async () => {
    const { ledger } = await begin(make);
    const limits = [rate({ maxCalls: 1 })];
    await ledger.step([stepRequest({ plan: planOf({ limits: [...limits, budget({ maxMicros: 10 })] }) })]);
    const request = stepRequest({ plan: planOf({ limits }) });
    expect(await limitFactOf(ledger, request)).toMatchObject({ calls: 0, ok: true });
    await settle(ledger, settleRequest(request, { status: 'cancelled' }));
    expect(await limitFactOf(ledger, stepRequest({ plan: planOf({ limits }) }))).toMatchObject({
      calls: 1,
      ok: false,
    });
  });

  test('counts each tool, each window and each agent separately, and enforces all rates', async () => {
    const { ledger, clock } = await begin(make);
    const limits = [
      rate({ maxCalls: 1, windowMs: 100 }),
      rate({ maxCalls: 2, windowMs: 10_000 }),
      rate({ tool: 'mail', maxCalls: 5 }),
    ];
    const plan = planOf({ limits });
    for (let call = 0; call < 2; call += 1) {
      await allow(ledger, stepRequest({ plan }));
      clock.advance(100);
    }
    const facts = await decide(ledger, stepRequest({ plan }));
    expect(facts.limits.map((fact) => [fact.kind === 'rate' && fact.calls, fact.ok])).toEqual([
      [0, true],
      [2, false],
      [2, true],
    ]);
    const others = planOf({
      limits: [rate({ agentId: 'other', maxCalls: 1 }), rate({ tool: 'read', maxCalls: 1 })],
    });
    expect(isAllowed(await decide(ledger, stepRequest({ plan: others })))).toBe(true);
    expect(isAllowed(await decide(ledger, stepRequest({ plan, tenant: 'other' })))).toBe(true);
  });

  test('takes one slot of a rate that the plan lists twice', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ limits: [rate({ maxCalls: 5 }), rate({ maxCalls: 3 })] });
    await allow(ledger, stepRequest({ plan }));
    expect((await decide(ledger, stepRequest({ plan }))).limits).toMatchObject([{ calls: 1 }, { calls: 1 }]);
  });

  test('frees no slot early if the clock runs back', async () => {
    const { ledger, clock } = await begin(make);
    const plan = planOf({ limits: [rate({ maxCalls: 1, windowMs: 100 })] });
    await allow(ledger, stepRequest({ plan }));
    clock.advance(-1_000);
    expect(await limitFactOf(ledger, stepRequest({ plan }))).toMatchObject({ ok: false, retryAfterMs: 100 });
  });
}
