import type { Limit, LimitFact, StepRequest } from '@mandate/schemas';
import { expect, test } from 'vitest';
import type { Approval, Ledger } from '../port.ts';
import { allow, begin, decide, isAllowed, limitFactOf, type MakeLedger } from './bench.ts';
import { AGENT, budget, planOf, rate, repeated, stepRequest, TENANT } from './builders.ts';

const WINDOW_MS = 1_000;

function asking(limits: readonly Limit[]): StepRequest {
  return stepRequest({ plan: planOf({ limits: [...limits, asksPerson(10)] }) });
}

function asksPerson(maxWaiting: number): Limit {
  return { kind: 'confirmation', maxWaiting };
}

function once(overrides: Partial<Extract<Limit, { kind: 'rate' }>> = {}): Limit {
  return rate({ maxCalls: 1, windowMs: WINDOW_MS, ...overrides });
}

let lastId = 0;

async function answer(
  ledger: Ledger,
  { tenant, agentId, actionId, digest }: StepRequest,
  overrides: Partial<Approval> = {},
): Promise<void> {
  lastId += 1;
  const order = { id: `answer-${lastId}`, by: 'op', reason: 'read it', answer: 'granted' as const };
  const expiresAtMs = 1_000_000_000_000_000;
  await ledger.approve({ ...order, tenant, agentId, actionId, digest, expiresAtMs, ...overrides });
}

/** Returns the fact about the rate for another call. Another limit refuses this call, so that it changes nothing. */
async function rateSeen(ledger: Ledger, limit: Limit): Promise<LimitFact> {
  const limits = [limit, budget({ id: 'never', maxMicros: 0 })];
  return limitFactOf(ledger, stepRequest({ plan: planOf({ limits }) }));
}

export function deferring(make: MakeLedger): void {
  test('takes one slot of each rate for a deferred action, and no second slot if the request is repeated', async () => {
    const { ledger, clock } = await begin(make);
    const limits = [once({ maxCalls: 2 }), once({ tool: 'mail', maxCalls: 5 })];
    const first = asking(limits);
    await ledger.step([first]);
    clock.advance(100);
    await ledger.step([repeated(first), asking(limits)]);
    const third = await decide(ledger, asking(limits));
    expect(third.limits).toMatchObject([
      { calls: 2, ok: false, retryAfterMs: WINDOW_MS - 100 },
      { calls: 2, ok: true },
      { grant: 'none' },
    ]);
    clock.advance(WINDOW_MS - 101);
    expect((await decide(ledger, asking(limits))).limits[0]).toMatchObject({ ok: false });
    clock.advance(1);
    expect((await decide(ledger, asking(limits))).limits[0]).toMatchObject({ calls: 1, ok: true });
  });

  test('counts the actions that wait for a person, and no action that was answered', async () => {
    const { ledger } = await begin(make);
    expect(await ledger.waiting(TENANT)).toBe(0);
    const [first, second, third] = [asking([]), asking([]), { ...asking([]), agentId: 'agent-2' }];
    const other = { ...asking([]), tenant: 'umbrella' };
    await ledger.step([first, second, third, other, repeated(second)]);
    expect(await ledger.waiting(TENANT)).toBe(3);
    await answer(ledger, first);
    await answer(ledger, second, { answer: 'denied' });
    expect(await ledger.waiting(TENANT)).toBe(1);
    await decide(ledger, repeated(third, { attempt: 2 }));
    expect(await ledger.waiting(TENANT)).toBe(1);
    await answer(ledger, third);
    expect(isAllowed(await decide(ledger, repeated(third)))).toBe(true);
    expect([await ledger.waiting(TENANT), await ledger.waiting('umbrella')]).toEqual([0, 1]);
  });

  test('does not count an action as waiting after its question was forgotten', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    await ledger.step([asking([])]);
    clock.advance(999);
    expect(await ledger.waiting(TENANT)).toBe(1);
    clock.advance(1);
    expect(await ledger.waiting(TENANT)).toBe(0);
  });

  test('takes a slot for an action that would have been deferred without observe mode', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ observe: true, limits: [once(), asksPerson(10)] });
    expect(isAllowed(await decide(ledger, stepRequest({ plan })))).toBe(true);
    expect(await rateSeen(ledger, once())).toMatchObject({ calls: 1 });
  });

  test('moves the slot to the granted retry, which takes no second slot', async () => {
    const { ledger, clock } = await begin(make);
    const request = asking([once()]);
    await ledger.step([request]);
    clock.advance(900);
    await answer(ledger, request);
    const granted = await decide(ledger, repeated(request));
    expect(isAllowed(granted)).toBe(true);
    expect(granted.limits[0]).toEqual({ kind: 'rate', calls: 0, ok: true, retryAfterMs: null });
    expect(await rateSeen(ledger, once())).toMatchObject({ calls: 1, retryAfterMs: WINDOW_MS });
  });

  test('takes slots for the granted retry in rates that were added after the DEFER', async () => {
    const { ledger, clock } = await begin(make);
    const request = asking([once()]);
    await ledger.step([request]);
    await answer(ledger, request);
    clock.advance(10);
    const other = once({ tool: 'mail' });
    expect(isAllowed(await decide(ledger, repeated(request, { plan: asking([other]).plan })))).toBe(true);
    expect(await rateSeen(ledger, other)).toMatchObject({ calls: 1, retryAfterMs: WINDOW_MS });
    expect(await rateSeen(ledger, once())).toMatchObject({ calls: 1, retryAfterMs: WINDOW_MS - 10 });
  });

  test('makes the granted retry wait for a free slot after the slot of the DEFER has left the window', async () => {
    const { ledger, clock } = await begin(make);
    const request = asking([once()]);
    await ledger.step([request]);
    await answer(ledger, request);
    clock.advance(WINDOW_MS);
    await allow(ledger, stepRequest({ plan: planOf({ limits: [once()] }) }));
    clock.advance(1);
    const refused = await decide(ledger, repeated(request));
    expect(refused.limits[0]).toMatchObject({ calls: 1, ok: false, retryAfterMs: WINDOW_MS - 1 });
    clock.advance(WINDOW_MS - 1);
    expect(isAllowed(await decide(ledger, repeated(request, { attempt: 2 })))).toBe(true);
  });

  test('keeps the slot if another limit refuses the granted retry', async () => {
    const { ledger, clock } = await begin(make);
    const full = budget({ id: 'w', windowMs: 10_000, maxMicros: 100 });
    const request = asking([once(), full]);
    await ledger.step([request]);
    await allow(ledger, stepRequest({ plan: planOf({ limits: [full] }) }));
    await answer(ledger, request);
    clock.advance(400);
    expect(isAllowed(await decide(ledger, repeated(request)))).toBe(false);
    expect(await rateSeen(ledger, once())).toMatchObject({ calls: 1, retryAfterMs: WINDOW_MS - 400 });
    const next = repeated(request, { attempt: 2, plan: planOf({ limits: [once(), asksPerson(10)] }) });
    expect((await decide(ledger, next)).limits[0]).toMatchObject({ calls: 0, ok: true });
    expect(await rateSeen(ledger, once())).toMatchObject({ calls: 1, retryAfterMs: WINDOW_MS });
  });

  test("reports a person's denial, even if the action itself fills the rate", async () => {
    const { ledger } = await begin(make);
    const request = asking([once()]);
    await ledger.step([request]);
    await answer(ledger, request, { answer: 'denied' });
    const { limits } = await decide(ledger, repeated(request));
    expect(limits).toMatchObject([{ ok: true }, { grant: 'denied' }]);
    expect(await rateSeen(ledger, once())).toMatchObject({ calls: 1 });
  });

  test('accepts a second answer to the same question', async () => {
    const { ledger, clock } = await begin(make);
    const request = asking([once()]);
    await ledger.step([request]);
    await answer(ledger, request, { answer: 'denied' });
    await answer(ledger, request);
    clock.advance(5);
    expect(isAllowed(await decide(ledger, repeated(request)))).toBe(true);
    expect(await rateSeen(ledger, once())).toMatchObject({ calls: 1, retryAfterMs: WINDOW_MS });
  });

  test("lets only the allowed number of an agent's actions wait, and lets another action wait after an answer", async () => {
    const { ledger } = await begin(make);
    const ask = (overrides: Partial<StepRequest> = {}) =>
      stepRequest({ plan: planOf({ limits: [asksPerson(2)] }), ...overrides });
    const [first, second, third] = [ask(), ask(), ask()];
    await ledger.step([first, second]);
    expect(await limitFactOf(ledger, third)).toMatchObject({ grant: 'none', waiting: 2 });
    const again = await decide(ledger, repeated(third));
    expect(again.first).toMatchObject({ verdict: 'BLOCK', code: 'WAITING_LIMIT_EXCEEDED' });
    expect(await limitFactOf(ledger, ask({ agentId: 'another' }))).toMatchObject({ waiting: 0 });
    expect((await decide(ledger, repeated(first))).first).toMatchObject({ verdict: 'DEFER' });
    await answer(ledger, first);
    expect(await limitFactOf(ledger, repeated(third, { attempt: 2 }))).toMatchObject({ waiting: 1 });
    await answer(ledger, second, { answer: 'denied' });
    expect(await limitFactOf(ledger, ask())).toMatchObject({ waiting: 1 });
  });

  test('takes no slot for an action blocked because too many actions wait, and asks for the next attempt', async () => {
    const { ledger } = await begin(make);
    const limits = [once({ maxCalls: 5 }), asksPerson(1)];
    const ask = () => stepRequest({ plan: planOf({ limits }) });
    const [first, second] = [ask(), ask()];
    await ledger.step([first, second]);
    expect(await rateSeen(ledger, once({ maxCalls: 5 }))).toMatchObject({ calls: 1 });
    await answer(ledger, first);
    expect((await decide(ledger, repeated(second, { attempt: 2 }))).first).toBeNull();
    expect((await decide(ledger, repeated(second, { attempt: 2 }))).first).toMatchObject({
      verdict: 'DEFER',
    });
  });

  test('asks no person if the plan allows no waiting action', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ limits: [asksPerson(0)] });
    const request = stepRequest({ plan });
    expect(await limitFactOf(ledger, request)).toMatchObject({ ok: false, grant: 'none', waiting: 0 });
    expect((await decide(ledger, repeated(request))).first).toMatchObject({ verdict: 'BLOCK' });
  });

  test('stops counting a question as waiting after the ledger forgot it', async () => {
    const { ledger, clock } = await begin(make, WINDOW_MS);
    const ask = () => stepRequest({ appendedAtMs: clock(), plan: planOf({ limits: [asksPerson(1)] }) });
    const first = ask();
    await ledger.step([first]);
    await ledger.confirm(ledger.epoch, [first]);
    clock.advance(WINDOW_MS - 1);
    expect(await limitFactOf(ledger, ask())).toMatchObject({ waiting: 1 });
    clock.advance(1);
    expect(await limitFactOf(ledger, ask())).toMatchObject({ waiting: 0 });
    expect(await limitFactOf(ledger, ask())).toMatchObject({ waiting: 1 });
  });

  test('counts slots and waiting questions within one batch', async () => {
    const { ledger } = await begin(make);
    const batch = Array.from({ length: 6 }, () =>
      stepRequest({ plan: planOf({ limits: [once({ maxCalls: 4 }), asksPerson(3)] }) }),
    );
    const other = stepRequest({ plan: planOf({ limits: [once({ maxCalls: 4 })] }), agentId: AGENT });
    const results = await ledger.step([...batch, other]);
    const seen = results.map((result) => (result.kind === 'decided' ? result.facts.limits : []));
    expect(seen.map((limits) => limits[0])).toMatchObject(
      [0, 1, 2, 3, 3, 3, 3].map((calls) => ({ calls, ok: true })),
    );
    expect(seen.slice(0, 6).map((limits) => limits[1])).toMatchObject(
      [0, 1, 2, 3, 3, 3].map((waiting) => ({ waiting })),
    );
  });
}
