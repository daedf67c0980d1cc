import { expect, test } from 'vitest';
import { allow, begin, decide, isAllowed, type MakeLedger, send, spent } from './bench.ts';
import { budget, planOf, rate, refusal, repeated, settleRequest, stepRequest, TENANT } from './builders.ts';

const NOTHING_FOUND = {
  first: null,
  unremembered: false,
  late: false,
  kill: null,
  limits: [],
  chargedMicros: 0,
  leaseExpiresAtMs: null,
};

export function orderOfTheStep(make: MakeLedger): void {
  test('what is allowed is charged, leased, and numbered on the clock of the ledger', async () => {
    const { ledger, clock } = await begin(make);
    expect(await decide(ledger, stepRequest())).toEqual({
      ...NOTHING_FOUND,
      epoch: ledger.epoch,
      sequence: 1,
      atMs: clock(),
      chargedMicros: 100,
      cumulativeMicros: 100,
      leaseExpiresAtMs: clock() + 60_000,
    });
  });

  test('sequences are strictly increasing within a tenant, and every tenant has its own', async () => {
    const { ledger } = await begin(make);
    const request = stepRequest();
    const operations = [request, repeated(request), settleRequest(request), stepRequest({ tenant: 'other' })];
    const results = await ledger.step(operations);
    const sequences = results.map((result) => ('facts' in result ? result.facts.sequence : null));
    expect(sequences).toEqual([1, 2, 3, 1]);
    expect((await decide(ledger, stepRequest({ plan: planOf({ refusal: refusal() }) }))).sequence).toBe(4);
  });

  test('a duplicate is told before its deadline, the kill switch, and what is wrong with it', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest());
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'stop' });
    const facts = await decide(
      ledger,
      repeated(request, { deadlineAtMs: 0, plan: planOf({ refusal: refusal() }) }),
    );
    expect(facts).toMatchObject({ ...NOTHING_FOUND, first: { actionId: request.actionId }, late: false });
  });

  test('the deadline is the last millisecond in time, and comes before the kill switch', async () => {
    const { ledger, clock } = await begin(make);
    expect(isAllowed(await decide(ledger, stepRequest({ deadlineAtMs: clock() })))).toBe(true);
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'stop' });
    const late = stepRequest({ deadlineAtMs: clock() - 1 });
    expect(await decide(ledger, late)).toMatchObject({ ...NOTHING_FOUND, late: true });
    expect((await decide(ledger, repeated(late))).first).toMatchObject({
      kind: 'expired',
      code: 'DEADLINE_EXCEEDED',
    });
  });

  test('the kill switch comes before a refusal', async () => {
    const { ledger } = await begin(make);
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'stop' });
    const facts = await decide(ledger, stepRequest({ plan: planOf({ refusal: refusal() }) }));
    expect(facts).toMatchObject({ ...NOTHING_FOUND, kill: { scope: 'all', revision: 1, reason: 'stop' } });
  });

  test('a refusal ends the step before the limits, and consumes nothing', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ refusal: refusal(), limits: [budget(), rate()] });
    expect(await decide(ledger, stepRequest({ plan }))).toMatchObject({
      ...NOTHING_FOUND,
      cumulativeMicros: 0,
    });
    expect(await spent(ledger, TENANT)).toEqual({});
  });

  test('all limits are looked at, in order; when one fails none is charged', async () => {
    const { ledger } = await begin(make);
    const limits = [
      rate({ maxCalls: 5 }),
      budget({ id: 'small', maxMicros: 10 }),
      budget(),
      rate({ tool: 'mail', maxCalls: 0 }),
    ];
    const blocked = await decide(ledger, stepRequest({ plan: planOf({ limits }) }));
    expect(blocked.limits.map(({ ok }) => ok)).toEqual([true, false, true, false]);
    expect(blocked).toMatchObject({ chargedMicros: 0, leaseExpiresAtMs: null, cumulativeMicros: 0 });
    expect(await spent(ledger, TENANT)).toEqual({});
    const next = await decide(ledger, stepRequest({ plan: planOf({ limits: [rate({ maxCalls: 1 })] }) }));
    expect(next.limits).toEqual([{ kind: 'rate', calls: 0, ok: true, retryAfterMs: null }]);
  });

  test('a plan outside of its time is planned again, and nothing happened', async () => {
    const { ledger, clock } = await begin(make);
    const atMs = clock();
    const over = stepRequest({ plan: planOf({ holdsUntilMs: atMs }) });
    const early = stepRequest({ plan: planOf({ holdsFromMs: atMs + 1 }) });
    const holds = stepRequest({
      agentId: 'other',
      plan: planOf({ holdsFromMs: atMs, holdsUntilMs: atMs + 1 }),
    });
    expect(await send(ledger, over)).toEqual({ kind: 'replan', atMs });
    expect(await send(ledger, early)).toEqual({ kind: 'replan', atMs });
    expect(await send(ledger, { ...over, plan: planOf() })).toMatchObject({
      kind: 'decided',
      facts: { sequence: 1 },
    });
    expect(await send(ledger, holds)).toMatchObject({ kind: 'decided' });
  });

  test('what comes behind it in the batch waits for it, if of the same agent', async () => {
    const { ledger, clock } = await begin(make);
    const atMs = clock();
    const known = await allow(ledger, stepRequest());
    const over = stepRequest({ plan: planOf({ holdsUntilMs: atMs }) });
    const batch = [over, stepRequest(), settleRequest(known), known, stepRequest({ agentId: 'other' })];
    const kinds = (await ledger.step(batch)).map(({ kind }) => kind);
    expect(kinds).toEqual(['replan', 'replan', 'replan', 'replan', 'decided']);
  });

  test('a duplicate, a late and a killed one need no plan that holds', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ holdsUntilMs: 0 });
    const known = await allow(ledger, stepRequest());
    expect(await send(ledger, repeated(known, { plan }))).toMatchObject({ kind: 'decided' });
    expect(await send(ledger, stepRequest({ plan, deadlineAtMs: 0 }))).toMatchObject({ kind: 'decided' });
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'stop' });
    expect(await send(ledger, stepRequest({ plan }))).toMatchObject({ kind: 'decided' });
  });

  test('the clock never runs backwards', async () => {
    const { ledger, clock } = await begin(make);
    const { atMs } = await decide(ledger, stepRequest());
    clock.advance(-500);
    expect((await decide(ledger, stepRequest())).atMs).toBe(atMs);
    clock.advance(501);
    expect((await decide(ledger, stepRequest())).atMs).toBe(atMs + 1);
  });

  test('a ledger that is closed decides nothing', async () => {
    const { ledger } = await begin(make);
    await ledger.ping();
    await ledger.close();
    const unavailable = expect.objectContaining({ code: 'LEDGER_UNAVAILABLE', retryable: true });
    await expect(ledger.step([stepRequest()])).rejects.toEqual(unavailable);
    await expect(ledger.ping()).rejects.toEqual(unavailable);
  });
}
