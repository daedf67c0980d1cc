import { expect, test } from 'vitest';
import { begin, decide, isAllowed, limitFactOf, type MakeLedger, settle } from './bench.ts';
import {
  AGENT,
  budget,
  confirmation,
  planOf,
  rate,
  refusal,
  repeated,
  settleRequest,
  stepRequest,
  TENANT,
} from './builders.ts';

export function observing(make: MakeLedger): void {
  const observe = true;

  test('checks the limits of a refused action, charges and leases it, and allows it', async () => {
    const { ledger } = await begin(make);
    const request = stepRequest({ plan: planOf({ observe, refusal: refusal(), limits: [budget()] }) });
    const facts = await decide(ledger, request);
    expect(facts).toMatchObject({ chargedMicros: 100, cumulativeMicros: 100, limits: [{ ok: true }] });
    expect(isAllowed(facts)).toBe(true);
    expect((await decide(ledger, repeated(request))).first).toMatchObject({
      verdict: 'ALLOW',
      code: 'ALLOWED',
    });
    expect(await settle(ledger, settleRequest(request, { actualMicros: 10 }))).toMatchObject({
      kind: 'settled',
    });
  });

  test("lets agents spend more than a budget's limit", async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ observe, limits: [budget({ maxMicros: 150 })] });
    await ledger.step([stepRequest({ plan }), stepRequest({ plan })]);
    const facts = await decide(ledger, stepRequest({ plan }));
    expect(facts).toMatchObject({ limits: [{ spentMicros: 200, ok: false }], cumulativeMicros: 300 });
  });

  test('takes a slot of a rate only for an action that would be allowed', async () => {
    const { ledger } = await begin(make);
    const limits = [rate({ maxCalls: 1 })];
    await ledger.step([stepRequest({ plan: planOf({ observe, refusal: refusal(), limits }) })]);
    const plan = planOf({ observe, limits });
    expect(await limitFactOf(ledger, stepRequest({ plan }))).toMatchObject({ calls: 0, ok: true });
    expect(await limitFactOf(ledger, stepRequest({ plan }))).toMatchObject({ calls: 1, ok: false });
    expect(await limitFactOf(ledger, stepRequest({ plan }))).toMatchObject({ calls: 1, ok: false });
  });

  test('asks no person, but uses up a grant that exists', async () => {
    const { ledger, clock } = await begin(make);
    const request = stepRequest({ plan: planOf({ observe, limits: [confirmation] }) });
    expect(isAllowed(await decide(ledger, request))).toBe(true);
    const asked = stepRequest({ actionId: 'granted', plan: planOf({ limits: [confirmation] }) });
    const { actionId, digest } = asked;
    await ledger.step([asked]);
    const grant = {
      id: 'g',
      by: 'op',
      reason: 'ok',
      answer: 'granted',
      expiresAtMs: clock() + 1_000,
    } as const;
    await ledger.approve({ ...grant, tenant: TENANT, agentId: AGENT, actionId, digest });
    const granted = repeated(request, { actionId });
    expect(await limitFactOf(ledger, granted)).toMatchObject({ ok: true, grant: 'granted' });
    await settle(ledger, settleRequest(granted, { status: 'failure' }));
    expect(await limitFactOf(ledger, repeated(granted, { attempt: 2 }))).toMatchObject({
      ok: false,
      grant: 'none',
    });
  });

  test('still blocks a duplicate, a late action, a killed agent and an internal error', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ observe });
    const request = stepRequest({ plan });
    await ledger.step([request]);
    const error = refusal({ code: 'INTERNAL_ERROR', final: false });
    await ledger.kill(
      { scope: 'agent', tenant: TENANT, agentId: 'dead' },
      { id: 'k', by: 'op', reason: 'stop' },
    );
    const refused = [
      repeated(request),
      stepRequest({ plan, deadlineAtMs: 0 }),
      stepRequest({ plan, agentId: 'dead' }),
      stepRequest({ plan: planOf({ observe, refusal: error }) }),
    ];
    for (const each of refused) {
      const facts = await decide(ledger, each);
      expect([isAllowed(facts), facts.chargedMicros, facts.limits]).toEqual([false, 0, []]);
    }
  });
}
