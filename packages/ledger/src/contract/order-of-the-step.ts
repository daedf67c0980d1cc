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
  test("charges and leases an allowed action, and numbers the decision by the ledger's clock", async () => {
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

  test('gives strictly increasing sequences within a tenant, with separate sequences for each tenant', async () => {
    const { ledger } = await begin(make);
    const request = stepRequest();
    const operations = [request, repeated(request), settleRequest(request), stepRequest({ tenant: 'other' })];
    const results = await ledger.step(operations);
    const sequences = results.map((result) => ('facts' in result ? result.facts.sequence : null));
    expect(sequences).toEqual([1, 2, 3, 1]);
    expect((await decide(ledger, stepRequest({ plan: planOf({ refusal: refusal() }) }))).sequence).toBe(4);
  });

  test('reports a duplicate first, before its deadline, the kill switch, and the refusal of the plan', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest());
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'stop' });
    const facts = await decide(
      ledger,
      repeated(request, { deadlineAtMs: 0, plan: planOf({ refusal: refusal() }) }),
    );
    expect(facts).toMatchObject({ ...NOTHING_FOUND, first: { actionId: request.actionId }, late: false });
  });

  test('accepts the last millisecond of a deadline, and checks the deadline before the kill switch', async () => {
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

  test('checks the kill switch before the refusal of the plan', async () => {
    const { ledger } = await begin(make);
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'stop' });
    const facts = await decide(ledger, stepRequest({ plan: planOf({ refusal: refusal() }) }));
    expect(facts).toMatchObject({ ...NOTHING_FOUND, kill: { scope: 'all', revision: 1, reason: 'stop' } });
  });

  test('ends the step at the refusal of the plan, before the limits, and charges nothing', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ refusal: refusal(), limits: [budget(), rate()] });
    expect(await decide(ledger, stepRequest({ plan }))).toMatchObject({
      ...NOTHING_FOUND,
      cumulativeMicros: 0,
    });
    expect(await spent(ledger, TENANT)).toEqual({});
  });

  test('checks all limits in order, and charges none of them if one fails', async () => {
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

  test("asks for a new plan outside of the plan's validity, and changes nothing", async () => {
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

  test('makes later requests of the same agent in the batch wait for the new plan', async () => {
    const { ledger, clock } = await begin(make);
    const atMs = clock();
    const known = await allow(ledger, stepRequest());
    const over = stepRequest({ plan: planOf({ holdsUntilMs: atMs }) });
    const batch = [over, stepRequest(), settleRequest(known), known, stepRequest({ agentId: 'other' })];
    const kinds = (await ledger.step(batch)).map(({ kind }) => kind);
    expect(kinds).toEqual(['replan', 'replan', 'replan', 'replan', 'decided']);
  });

  test('needs no valid plan for a duplicate, a late action and a killed agent', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ holdsUntilMs: 0 });
    const known = await allow(ledger, stepRequest());
    expect(await send(ledger, repeated(known, { plan }))).toMatchObject({ kind: 'decided' });
    expect(await send(ledger, stepRequest({ plan, deadlineAtMs: 0 }))).toMatchObject({ kind: 'decided' });
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'stop' });
    expect(await send(ledger, stepRequest({ plan }))).toMatchObject({ kind: 'decided' });
  });

  test('never lets its clock run backwards', async () => {
    const { ledger, clock } = await begin(make);
    const { atMs } = await decide(ledger, stepRequest());
    clock.advance(-500);
    expect((await decide(ledger, stepRequest())).atMs).toBe(atMs);
    clock.advance(501);
    expect((await decide(ledger, stepRequest())).atMs).toBe(atMs + 1);
  });

  test('decides nothing after close', async () => {
    const { ledger } = await begin(make);
    await ledger.ping();
    await ledger.close();
    const unavailable = expect.objectContaining({ code: 'LEDGER_UNAVAILABLE', retryable: true });
    await expect(ledger.step([stepRequest()])).rejects.toEqual(unavailable);
    await expect(ledger.ping()).rejects.toEqual(unavailable);
  });
}
