import type { Code, ShadowPlan } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { begin, type MakeLedger, send, settle, spent } from './bench.ts';
import { planOf, refusal, repeated, settleRequest, stepRequest, TENANT } from './builders.ts';

export function redelivery(make: MakeLedger): void {
  test('repeats the stored answer with its plan for the same position, and charges nothing', async () => {
    const { ledger, clock } = await begin(make);
    const request = stepRequest();
    const first = await send(ledger, request);
    clock.advance(5_000);
    const again = await send(ledger, { ...request, plan: planOf({ refusal: refusal() }) });
    expect(again).toEqual({ ...first, redelivered: true });
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 100 });
  });

  test('repeats a stored refusal and a stored duplicate word for word', async () => {
    const { ledger } = await begin(make);
    const blocked = stepRequest({ plan: planOf({ refusal: refusal() }) });
    const duplicate = repeated(blocked);
    const [one, other] = await ledger.step([blocked, duplicate]);
    expect(await ledger.step([blocked, duplicate])).toEqual([
      { ...one, redelivered: true },
      { ...other, redelivered: true },
    ]);
  });

  test('repeats the stored result of shadow rules, also for equal shadow plans', async () => {
    const { ledger } = await begin(make);
    const shadow = (code: Code | null): ShadowPlan => ({
      rules: ['soon'],
      policies: ['none@1'],
      holdsFromMs: 0,
      holdsUntilMs: null,
      code,
      limits: [{ kind: 'rate', at: 0, most: 1 }],
      unknownLimits: 0,
      asksPerson: false,
    });
    const plans = [planOf(), planOf({ shadow: shadow(null) }), planOf({ shadow: shadow('TOOL_DENIED') })];
    const requests = plans.map((plan) => stepRequest({ plan }));
    const first = await ledger.step(requests);
    expect(first).toMatchObject(plans.map((plan) => ({ plan })));
    expect(first[0]).not.toHaveProperty('plan.shadow');
    const again = await ledger.step(requests.map((request) => ({ ...request, plan: planOf() })));
    expect(again).toEqual(first.map((result) => ({ ...result, redelivered: true })));
  });

  test('repeats the stored answer within one batch too', async () => {
    const { ledger } = await begin(make);
    const request = stepRequest();
    const [first, again] = await ledger.step([request, request]);
    expect(again).toEqual({ ...first, redelivered: true });
  });

  test('repeats the stored answer before it checks the deadline, the kill switch or the plan', async () => {
    const { ledger, clock } = await begin(make);
    const request = stepRequest({ deadlineAtMs: clock(), plan: planOf({ holdsUntilMs: clock() + 1 }) });
    const first = await send(ledger, request);
    clock.advance(10_000);
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'stop' });
    expect(await send(ledger, request)).toEqual({ ...first, redelivered: true });
  });

  test('repeats the same facts for a redelivered outcome', async () => {
    const { ledger } = await begin(make);
    const request = stepRequest();
    const outcome = settleRequest(request, { actualMicros: 60 });
    const [, first] = await ledger.step([request, outcome]);
    expect(await send(ledger, outcome)).toEqual({ ...first, redelivered: true });
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 60 });
  });

  test('answers "published" after the ledger knows that the log has the answer', async () => {
    const { ledger } = await begin(make);
    const request = stepRequest();
    const outcome = settleRequest(request);
    const duplicate = repeated(request);
    await ledger.step([request, outcome, duplicate]);
    await ledger.confirm(ledger.epoch, [request, outcome]);
    expect(await ledger.step([request, outcome, duplicate])).toEqual([
      { kind: 'published' },
      { kind: 'published' },
      expect.objectContaining({ kind: 'decided', redelivered: true }),
    ]);
  });

  test('fails with LEDGER_CORRUPT if another record comes at a known position', async () => {
    const { ledger } = await begin(make);
    const request = stepRequest();
    await ledger.step([request]);
    const corrupt = expect.objectContaining({ code: 'LEDGER_CORRUPT', retryable: false });
    await expect(ledger.step([{ ...request, digest: 'another' }])).rejects.toEqual(corrupt);
    const outcome = settleRequest(request, { source: request.source });
    await expect(ledger.step([outcome])).rejects.toEqual(corrupt);
  });

  test('never forgets a charged decision that is not published yet', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    const request = stepRequest();
    const first = await send(ledger, request);
    clock.advance(1_000_000);
    await ledger.step([stepRequest({ agentId: 'other' })]);
    expect(await send(ledger, request)).toEqual({ ...first, redelivered: true });
    expect((await settle(ledger, settleRequest(request, { status: 'cancelled' }))).deltaMicros).toBe(-100);
  });

  test('remembers the new decision of a forgotten position', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    const requests = Array.from({ length: 20 }, () => stepRequest({ plan: planOf({ leaseMs: 10 }) }));
    await ledger.step(requests);
    await ledger.confirm(ledger.epoch, requests);
    clock.advance(1_000);
    const last = requests.slice(-1);
    const anew = await ledger.step(last);
    expect(anew).toMatchObject([{ kind: 'decided', redelivered: false }]);
    // A store may forget old positions during other steps, so run some.
    await ledger.step(Array.from({ length: 20 }, () => stepRequest({ agentId: 'other' })));
    expect(await ledger.step(last)).toEqual([{ ...anew[0], redelivered: true }]);
  });
}
