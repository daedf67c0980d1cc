import type { SettleRequest, StepRequest, UnitSettled, UnitSettling } from '@mandate/schemas';
import { expect, test } from 'vitest';
import type { Ledger } from '../port.ts';
import { allow, begin, decide, isAllowed, limitFactOf, type MakeLedger, settle, spent } from './bench.ts';
import {
  AGENT,
  budget,
  planOf,
  rate,
  settleRequest,
  stepRequest,
  TENANT,
  unitLimit,
  unitReserve,
} from './builders.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;
const TEAM = unitLimit({ scope: 'tenant', subject: '', id: 'team', most: 10_000 });

type Terms = { limits?: StepRequest['plan']['limits']; settling?: Partial<UnitSettling>; tokens?: number };

/** Returns a request of 100 tokens and 100 micro-dollars. */
function call({ limits = [unitLimit()], settling, tokens: reserved }: Terms = {}): StepRequest {
  return stepRequest({ plan: planOf({ limits, units: { tokens: unitReserve(settling, reserved) } }) });
}

/** Returns the usage of a call: half of the tokens are input. */
function used(total: number): NonNullable<SettleRequest['usage']> {
  return { inputTokens: Math.floor(total / 2), outputTokens: Math.ceil(total / 2) };
}

async function settled(
  ledger: Ledger,
  request: StepRequest,
  outcome: Partial<SettleRequest>,
): Promise<UnitSettled> {
  const facts = await settle(ledger, settleRequest(await allow(ledger, request), outcome));
  if (facts.units?.tokens === undefined) throw new Error('the outcome settled no tokens');
  return facts.units.tokens;
}

async function inTokens(ledger: Ledger): Promise<Record<string, number>> {
  const all = Object.entries(await spent(ledger, TENANT));
  return Object.fromEntries(
    all.flatMap(([name, amount]) => (name.endsWith(' tokens') ? [[name.slice(0, -7), amount]] : [])),
  );
}

export function tokenLimits(make: MakeLedger): void {
  test('allows exactly ten calls within a limit on tokens, and refuses the eleventh', async () => {
    const { ledger } = await begin(make);
    const results = await ledger.step(Array.from({ length: 11 }, () => call()));
    const facts = results.map((result) =>
      'facts' in result && 'limits' in result.facts ? result.facts : null,
    );
    expect(facts.map((fact) => fact?.chargedUnits?.tokens)).toEqual([
      ...Array.from({ length: 10 }, () => 100),
      undefined,
    ]);
    expect(facts[10]?.limits).toEqual([{ kind: 'tokens', used: 1_000, ok: false, retryAfterMs: null }]);
    expect(facts[10]).toMatchObject({ chargedMicros: 0, leaseExpiresAtMs: null });
  });

  test('allows exactly 100 of 1,000 calls that arrive at once, if 100 fit into the tokens', async () => {
    const { ledger } = await begin(make);
    const limits = [TEAM];
    const batches = Array.from({ length: 50 }, (_, agent) =>
      Array.from({ length: 20 }, () => ({ ...call({ limits }), agentId: `agent-${agent}` })),
    );
    const results = (await Promise.all(batches.map((batch) => ledger.step(batch)))).flat();
    const allowed = results.filter((result) => result.kind === 'decided' && isAllowed(result.facts));
    expect(allowed).toHaveLength(100);
    expect(await inTokens(ledger)).toEqual({ 'tenant  team': 10_000 });
  });

  test('counts tokens and money of the same budget separately', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, call({ limits: [budget(), unitLimit()], tokens: 700 }));
    expect(await spent(ledger, TENANT)).toEqual({
      'agent agent-1 total': 100,
      'agent agent-1 total tokens': 700,
    });
    expect(isAllowed(await decide(ledger, stepRequest({ plan: planOf({ limits: [budget()] }) })))).toBe(true);
    expect(isAllowed(await decide(ledger, call({ limits: [budget(), unitLimit()], tokens: 301 })))).toBe(
      false,
    );
  });

  test('counts no tokens of a call whose plan reserves none', async () => {
    const { ledger } = await begin(make);
    await settle(ledger, settleRequest(await allow(ledger, stepRequest()), { usage: used(40) }));
    expect(await inTokens(ledger)).toEqual({});
  });

  test('charges a counter of tokens once if the plan lists it twice, under the strictest limit', async () => {
    const { ledger } = await begin(make);
    const limits = [unitLimit({ most: 900 }), unitLimit({ most: 150 })];
    await allow(ledger, call({ limits }));
    expect(await inTokens(ledger)).toEqual({ 'agent agent-1 total': 100 });
    expect(await decide(ledger, call({ limits }))).toMatchObject({
      limits: [{ ok: true }, { ok: false, used: 100 }],
    });
  });

  test('charges neither tokens nor money if one limit refuses', async () => {
    const { ledger } = await begin(make);
    const limits = [budget(), TEAM, rate({ maxCalls: 0 })];
    expect(isAllowed(await decide(ledger, call({ limits })))).toBe(false);
    expect(await spent(ledger, TENANT)).toEqual({});
  });

  test('checks a limit on tokens also in a call with requests that have no such limit', async () => {
    const { ledger } = await begin(make);
    const plain = () => stepRequest({ plan: planOf({ limits: [budget({ maxMicros: 100_000 })] }) });
    const limits = [unitLimit({ most: 200 }), budget({ maxMicros: 100_000 })];
    const batch = [plain(), call({ limits }), plain(), call({ limits }), call({ limits }), plain()];
    const results = await ledger.step(batch);
    const facts = results.flatMap((result) => (result.kind === 'decided' ? [result.facts] : []));
    expect(facts.map(isAllowed)).toEqual([true, true, true, true, false, true]);
    expect(facts.at(-1)).toMatchObject({ cumulativeMicros: 500, limits: [{ spentMicros: 400 }] });
    expect(await inTokens(ledger)).toEqual({ 'agent agent-1 total': 200 });
  });

  test('frees the tokens of a window when the window has passed, and says when', async () => {
    const { ledger, clock } = await begin(make);
    const limits = [unitLimit({ id: 'w', windowMs: 100, most: 250 })];
    await allow(ledger, call({ limits }));
    clock.advance(30);
    await allow(ledger, call({ limits }));
    const refused = { kind: 'tokens', used: 200, ok: false };
    expect(await limitFactOf(ledger, call({ limits }))).toEqual({ ...refused, retryAfterMs: 70 });
    clock.advance(69);
    expect(await limitFactOf(ledger, call({ limits }))).toEqual({ ...refused, retryAfterMs: 1 });
    clock.advance(1);
    expect(isAllowed(await decide(ledger, call({ limits })))).toBe(true);
    expect(await limitFactOf(ledger, call({ limits, tokens: 251 }))).toMatchObject({ retryAfterMs: null });
  });

  test.each<[UnitSettling['charging'], Partial<SettleRequest>, tokens: number]>([
    ['SUCCESS_BASED', { status: 'success' }, 100],
    ['SUCCESS_BASED', { status: 'success', usage: used(40) }, 40],
    ['SUCCESS_BASED', { status: 'success', usage: used(250) }, 250],
    ['SUCCESS_BASED', { status: 'success', actualMicros: 7 }, 100],
    ['SUCCESS_BASED', { status: 'failure' }, 0],
    ['SUCCESS_BASED', { status: 'failure', usage: used(40) }, 40],
    ['SUCCESS_BASED', { status: 'success', verified: false, usage: used(40) }, 40],
    ['SUCCESS_BASED', { status: 'cancelled', usage: used(40) }, 0],
    ['ATTEMPT_BASED', { status: 'success' }, 100],
    ['ATTEMPT_BASED', { status: 'success', usage: used(40) }, 100],
    ['ATTEMPT_BASED', { status: 'success', usage: used(250) }, 250],
    ['ATTEMPT_BASED', { status: 'failure' }, 100],
    ['ATTEMPT_BASED', { status: 'failure', usage: used(250) }, 250],
    ['ATTEMPT_BASED', { status: 'cancelled' }, 0],
  ])(
    'settles tokens charged by %s with the outcome %j to %j, in every counter',
    async (charging, outcome, to) => {
      const { ledger } = await begin(make);
      const window = unitLimit({ id: 'w', windowMs: 60_000 });
      const request = call({ limits: [unitLimit(), window, TEAM], settling: { charging } });
      expect(await settled(ledger, request, outcome)).toEqual({
        delta: to - 100,
        charged: to,
        excess: 0,
        released: 0,
        releaseRefused: false,
        overdrawn: false,
      });
      const counters = { 'agent agent-1 total': to, 'agent agent-1 w 60000': to, 'tenant  team': to };
      expect(await inTokens(ledger)).toEqual(to === 0 ? {} : counters);
    },
  );

  test('keeps the reserved tokens of a call whose lease ran out, and settles a late outcome once', async () => {
    const { ledger, clock } = await begin(make);
    const request = await allow(ledger, call());
    clock.advance(60_000);
    await allow(ledger, call());
    expect(await inTokens(ledger)).toEqual({ 'agent agent-1 total': 200 });
    const late = await settle(ledger, settleRequest(request, { usage: used(30) }));
    expect(late).toMatchObject({ late: true, units: { tokens: { delta: -70, charged: 30 } } });
    const again = await settle(ledger, settleRequest(request, { usage: used(900) }));
    expect(again).toMatchObject({ kind: 'repeated' });
    expect(again.units).toBeUndefined();
    expect(await inTokens(ledger)).toEqual({ 'agent agent-1 total': 130 });
  });

  test('gives a redelivery and a repeated outcome the same tokens, and charges them once', async () => {
    const { ledger } = await begin(make);
    const request = call();
    const outcome = settleRequest(request, { usage: used(70) });
    const first = await ledger.step([request, outcome]);
    const again = await ledger.step([request, outcome]);
    expect(again.map((one) => 'facts' in one && one.facts)).toEqual(
      first.map((one) => 'facts' in one && one.facts),
    );
    expect(first).toMatchObject([
      { facts: { chargedUnits: { tokens: 100 } } },
      { facts: { units: { tokens: { delta: -30, charged: 70 } } } },
    ]);
    expect(await inTokens(ledger)).toEqual({ 'agent agent-1 total': 70 });
  });

  test('charges shared counters up to the cap, and the excess to counters of the agent only', async () => {
    const { ledger } = await begin(make);
    const request = call({ limits: [unitLimit({ most: 500 }), TEAM], settling: { most: 300 } });
    expect(await settled(ledger, request, { usage: used(1_000) })).toMatchObject({
      delta: 200,
      charged: 300,
      excess: 700,
      overdrawn: true,
    });
    expect(await inTokens(ledger)).toEqual({ 'agent agent-1 total': 1_000, 'tenant  team': 300 });
  });

  test('bounds the tokens that own reports of failures give back, and a success raises the bound', async () => {
    const { ledger } = await begin(make);
    const settling = { releases: { amount: 250, percent: 50 } };
    const request = () => call({ limits: [TEAM], settling });
    expect(await settled(ledger, request(), { status: 'failure' })).toMatchObject({ released: 100 });
    expect(await settled(ledger, request(), { status: 'cancelled' })).toMatchObject({ released: 100 });
    const refused = { delta: 0, released: 0, releaseRefused: true };
    expect(await settled(ledger, request(), { status: 'failure' })).toMatchObject(refused);
    expect(await settled(ledger, request(), { status: 'success' })).toMatchObject({ released: -50 });
    expect(await settled(ledger, request(), { status: 'failure' })).toMatchObject({ delta: -100 });
    const trusted = { status: 'cancelled', mayRelease: true } as const;
    expect(await settled(ledger, request(), trusted)).toMatchObject({ delta: -100, released: 0 });
    expect(await inTokens(ledger)).toEqual({ 'agent agent-1 released': 250, 'tenant  team': 200 });
    expect(await spent(ledger, TENANT)).not.toHaveProperty('agent agent-1 released');
  });

  test('adjusts a counter of tokens, and no counter of money', async () => {
    const { ledger } = await begin(make);
    await allow(ledger, call());
    const order = { id: 'a', by: 'op', reason: 'r', tenant: TENANT };
    const counter = { scope: 'agent', subject: AGENT, id: 'total', windowMs: null, unit: 'tokens' } as const;
    expect(await ledger.adjust({ ...order, budget: counter, delta: -40 })).toMatchObject({ spent: 60 });
    expect(await spent(ledger, TENANT)).toEqual({
      'agent agent-1 total': 100,
      'agent agent-1 total tokens': 60,
    });
  });

  test('keeps the sums of tokens exact, even under a mandate in observe mode', async () => {
    const { ledger } = await begin(make);
    const observed = (reserved: number) => {
      const terms = { limits: [unitLimit({ most: 0 })], units: { tokens: unitReserve({}, reserved) } };
      return stepRequest({ plan: planOf({ ...terms, observe: true }) });
    };
    expect(await decide(ledger, observed(LARGEST - 5))).toMatchObject({
      chargedUnits: { tokens: LARGEST - 5 },
    });
    expect(await decide(ledger, observed(20))).toMatchObject({ chargedUnits: { tokens: 5 } });
    expect(await inTokens(ledger)).toEqual({ 'agent agent-1 total': LARGEST });
  });

  test('lists the tokens that are not on the log yet', async () => {
    const { ledger } = await begin(make);
    const request = call({ limits: [unitLimit(), TEAM], settling: { most: 150 } });
    await allow(ledger, request);
    await settle(ledger, settleRequest(request, { usage: used(180) }));
    const moved = (await ledger.unpublished(TENANT)).map(({ delta, budgets }) => [
      delta,
      ...budgets.map(({ id, unit }) => `${id} ${unit ?? 'micros'}`),
    ]);
    expect(moved).toEqual([
      [100, 'total micros'],
      [100, 'total tokens', 'team tokens'],
      [50, 'total tokens', 'team tokens'],
      [30, 'total tokens'],
    ]);
  });
}
