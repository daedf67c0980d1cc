/** Limits on the calls of tools that answers ask for. An LLM call reserves one, and its outcome states the number. */
import type { SettleRequest, StepRequest, UnitReserve } from '@mandate/schemas';
import { expect, test } from 'vitest';
import type { Ledger } from '../port.ts';
import { allow, begin, decide, isAllowed, limitFactOf, type MakeLedger, settle, spent } from './bench.ts';
import { planOf, settleRequest, stepRequest, TENANT, unitLimit, unitReserve } from './builders.ts';

const FIVE = unitLimit({ kind: 'toolCalls', most: 5 });
const TEAM = unitLimit({ kind: 'toolCalls', scope: 'tenant', subject: '', id: 'team', most: 1_000 });

type Terms = { limits?: StepRequest['plan']['limits']; settling?: Partial<UnitReserve['settling']> };

function call({ limits = [FIVE], settling = {} }: Terms = {}): StepRequest {
  return stepRequest({
    plan: planOf({ limits, units: { toolCalls: unitReserve({ most: 100, ...settling }, 1) } }),
  });
}

async function ask(ledger: Ledger, outcome: Partial<SettleRequest>, terms?: Terms) {
  return (await settle(ledger, settleRequest(await allow(ledger, call(terms)), outcome))).units?.toolCalls;
}

async function asked(ledger: Ledger): Promise<Record<string, number>> {
  const all = Object.entries(await spent(ledger, TENANT));
  return Object.fromEntries(
    all.flatMap(([name, amount]) => (name.endsWith(' toolCalls') ? [[name.slice(0, -10), amount]] : [])),
  );
}

export function toolCallLimits(make: MakeLedger): void {
  test('lets the answer that crosses the limit through, and refuses the next call', async () => {
    const { ledger } = await begin(make);
    for (const charged of [2, 2, 2]) {
      expect(await ask(ledger, { toolCalls: 2 })).toEqual({
        ...{ delta: charged - 1, charged, excess: 0, released: 0, releaseRefused: false },
        overdrawn: (await asked(ledger))['agent agent-1 total'] === 6,
      });
    }
    const refused = await decide(ledger, call());
    expect(refused.limits).toEqual([{ kind: 'toolCalls', used: 6, ok: false, retryAfterMs: null }]);
    expect(refused).toMatchObject({ chargedMicros: 0, leaseExpiresAtMs: null });
    expect(refused.chargedUnits).toBeUndefined();
  });

  test('lets calls run at once only as far as one tool call of each fits', async () => {
    const { ledger } = await begin(make);
    const calls = Array.from({ length: 20 }, () => call());
    const results = await ledger.step(calls);
    const allowed = results.flatMap((result) =>
      result.kind === 'decided' && isAllowed(result.facts) ? [result.facts] : [],
    );
    expect(allowed).toHaveLength(5);
    expect(allowed[0]).toMatchObject({ chargedUnits: { toolCalls: 1 } });
    for (const request of calls.slice(0, 5)) await settle(ledger, settleRequest(request, { toolCalls: 3 }));
    expect(await asked(ledger)).toEqual({ 'agent agent-1 total': 15 });
  });

  test.each<[Partial<SettleRequest>, calls: number]>([
    [{ toolCalls: 7 }, 7],
    [{ toolCalls: 0 }, 0],
    [{}, 1],
    [{ usage: { inputTokens: 900, outputTokens: 90 } }, 1],
    [{ status: 'failure', toolCalls: 3 }, 3],
    [{ status: 'failure' }, 0],
    [{ status: 'success', verified: false, toolCalls: 2 }, 2],
    [{ status: 'cancelled', toolCalls: 3 }, 0],
  ])('settles the reserved tool call with the outcome %j to %i, in every counter', async (outcome, to) => {
    const { ledger } = await begin(make);
    const window = unitLimit({ kind: 'toolCalls', id: 'w', windowMs: 60_000 });
    const limits = [unitLimit({ kind: 'toolCalls' }), window, TEAM];
    expect(await ask(ledger, outcome, { limits })).toMatchObject({ delta: to - 1, charged: to });
    const counters = { 'agent agent-1 total': to, 'agent agent-1 w 60000': to, 'tenant  team': to };
    expect(await asked(ledger)).toEqual(to === 0 ? {} : counters);
  });

  test('charges shared counters up to the cap, and the excess to counters of the agent only', async () => {
    const { ledger } = await begin(make);
    const settled = await ask(ledger, { toolCalls: 640_000 }, { limits: [FIVE, TEAM] });
    expect(settled).toMatchObject({ charged: 100, excess: 639_900, overdrawn: true });
    expect(await asked(ledger)).toEqual({ 'agent agent-1 total': 640_000, 'tenant  team': 100 });
  });

  test('bounds the tool calls that own reports of failures give back', async () => {
    const { ledger } = await begin(make);
    const terms = { limits: [TEAM], settling: { releases: { amount: 2, percent: 20 } } };
    const failure = { status: 'failure' } as const;
    expect(await ask(ledger, failure, terms)).toMatchObject({ released: 1, charged: 0 });
    expect(await ask(ledger, failure, terms)).toMatchObject({ released: 1, charged: 0 });
    expect(await ask(ledger, failure, terms)).toMatchObject({
      released: 0,
      charged: 1,
      releaseRefused: true,
    });
    expect(await ask(ledger, { ...failure, mayRelease: true }, terms)).toMatchObject({ charged: 0 });
    expect(await asked(ledger)).toEqual({ 'agent agent-1 released': 2, 'tenant  team': 1 });
  });

  test('frees the tool calls of a window when the window has passed, and says when', async () => {
    const { ledger, clock } = await begin(make);
    const limits = [unitLimit({ kind: 'toolCalls', id: 'w', windowMs: 100, most: 5 })];
    await ask(ledger, { toolCalls: 4 }, { limits });
    clock.advance(30);
    await ask(ledger, { toolCalls: 4 }, { limits });
    const refused = { kind: 'toolCalls', used: 8, ok: false };
    expect(await limitFactOf(ledger, call({ limits }))).toEqual({ ...refused, retryAfterMs: 70 });
    clock.advance(70);
    expect(isAllowed(await decide(ledger, call({ limits })))).toBe(true);
  });

  test('counts tokens and tool calls of one call separately, and settles each by its own report', async () => {
    const { ledger } = await begin(make);
    const units = { tokens: unitReserve(), toolCalls: unitReserve({ most: 100 }, 1) };
    const request = await allow(
      ledger,
      stepRequest({ plan: planOf({ limits: [unitLimit(), FIVE], units }) }),
    );
    const usage = { inputTokens: 30, outputTokens: 12 };
    const outcome = settleRequest(request, { usage, toolCalls: 2 });
    const settled = await settle(ledger, outcome);
    expect(settled.units).toMatchObject({ tokens: { charged: 42 }, toolCalls: { charged: 2 } });
    expect(await spent(ledger, TENANT)).toEqual({
      'agent agent-1 total': 100,
      'agent agent-1 total tokens': 42,
      'agent agent-1 total toolCalls': 2,
    });
    const [again] = await ledger.step([outcome]);
    expect(again).toMatchObject({ redelivered: true, facts: settled });
    const moved = (await ledger.unpublished(TENANT)).map(({ delta, budgets: [one] }) => [delta, one?.unit]);
    expect(moved).toEqual([
      [100, undefined],
      [100, 'tokens'],
      [1, 'toolCalls'],
      [-58, 'tokens'],
      [1, 'toolCalls'],
    ]);
  });
}
