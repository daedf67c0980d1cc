import type { LimitFact, StepRequest } from '@mandate/schemas';
import { expect, test } from 'vitest';
import type { Approval, Ledger } from '../port.ts';
import { begin, decide, isAllowed, limitFactOf, type MakeLedger, settle, spent } from './bench.ts';
import {
  budget,
  confirmation,
  planOf,
  rate,
  repeated,
  settleRequest,
  stepRequest,
  TENANT,
} from './builders.ts';

let lastId = 0;

function approve(ledger: Ledger, request: StepRequest, overrides: Partial<Approval> = {}) {
  lastId += 1;
  const { tenant, agentId, actionId, digest } = request;
  const answer = { id: `approval-${lastId}`, by: 'op', reason: 'read it', answer: 'granted' as const };
  return ledger.approve({
    ...answer,
    tenant,
    agentId,
    actionId,
    digest,
    expiresAtMs: 1_000_000_000_000_000,
    ...overrides,
  });
}

function asking(overrides: Partial<StepRequest> = {}): StepRequest {
  return stepRequest({
    plan: planOf({ limits: [rate({ maxCalls: 1 }), budget(), confirmation] }),
    ...overrides,
  });
}

async function grantSeen(ledger: Ledger, request: StepRequest): Promise<LimitFact | undefined> {
  return (await decide(ledger, request)).limits.at(-1);
}

export function confirming(make: MakeLedger): void {
  test('defers an action without a grant, and charges nothing', async () => {
    const { ledger } = await begin(make);
    const facts = await decide(ledger, asking());
    expect(facts.limits.at(-1)).toEqual({ kind: 'confirmation', ok: false, grant: 'none', waiting: 0 });
    expect(isAllowed(facts)).toBe(false);
    expect(await spent(ledger, TENANT)).toEqual({});
  });

  test('repeats the same DEFER for a duplicate until a person answers', async () => {
    const { ledger } = await begin(make);
    const request = asking();
    await ledger.step([request]);
    const again = await decide(ledger, repeated(request));
    expect(again.first).toMatchObject({ verdict: 'DEFER', code: 'APPROVAL_REQUIRED', samePayload: true });
    await approve(ledger, request);
    const granted = await decide(ledger, repeated(request));
    expect(granted).toMatchObject({ first: null, chargedMicros: 100 });
    expect(granted.limits.at(-1)).toEqual({ kind: 'confirmation', ok: true, grant: 'granted', waiting: 0 });
  });

  test("replaces the DEFER by the decision after a person's grant", async () => {
    const { ledger } = await begin(make);
    const request = asking();
    await ledger.step([request]);
    await approve(ledger, request);
    const granted = repeated(request);
    await ledger.step([granted]);
    const next = await decide(ledger, repeated(request));
    expect(next.first).toMatchObject({ source: granted.source, verdict: 'ALLOW' });
    expect(await settle(ledger, settleRequest(request, { actualMicros: 5 }))).toMatchObject({
      kind: 'settled',
    });
  });

  test('accepts a grant only for exactly the request that was granted', async () => {
    const { ledger } = await begin(make);
    const request = asking();
    await ledger.step([request]);
    for (const other of ['digest', 'agentId', 'actionId', 'tenant'] as const) {
      const refused = approve(ledger, request, { [other]: 'another' });
      await expect(refused).rejects.toMatchObject({ code: 'APPROVAL_NOT_FOUND', retryable: false });
    }
    expect((await decide(ledger, repeated(request))).first).toMatchObject({ verdict: 'DEFER' });
    await approve(ledger, request);
    const other = await decide(ledger, repeated(request, { digest: 'another' }));
    expect(other.first).toMatchObject({ verdict: 'DEFER', samePayload: false });
  });

  test('uses up a grant with one ALLOW, even if the grant was given twice, and asks again for the next attempt', async () => {
    const { ledger } = await begin(make);
    const request = asking({ plan: planOf({ limits: [confirmation] }) });
    await ledger.step([request]);
    await approve(ledger, request);
    await approve(ledger, request);
    expect(await grantSeen(ledger, repeated(request))).toMatchObject({ ok: true });
    await settle(ledger, settleRequest(request, { status: 'failure' }));
    expect(await grantSeen(ledger, repeated(request, { attempt: 2 }))).toMatchObject({ grant: 'none' });
  });

  test('refuses an answer to a question that was never asked, and an answer after the action was finally decided', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ limits: [confirmation] });
    const [allowed, denied, unasked] = [asking({ plan }), asking({ plan }), asking({ plan })];
    await ledger.step([allowed, denied]);
    await approve(ledger, allowed);
    await approve(ledger, denied, { answer: 'denied' });
    await ledger.step([repeated(allowed), repeated(denied)]);
    for (const answer of ['granted', 'denied'] as const) {
      for (const [request, code] of [
        [unasked, 'APPROVAL_NOT_FOUND'],
        [allowed, 'APPROVAL_NOT_WAITING'],
        [denied, 'APPROVAL_NOT_WAITING'],
      ] as const) {
        await expect(approve(ledger, request, { answer })).rejects.toMatchObject({ code, retryable: false });
      }
    }
    await settle(ledger, settleRequest(allowed, { status: 'failure' }));
    await expect(approve(ledger, allowed)).rejects.toMatchObject({ code: 'APPROVAL_NOT_WAITING' });
    expect(await grantSeen(ledger, repeated(allowed, { attempt: 2 }))).toMatchObject({ grant: 'none' });
    await approve(ledger, allowed);
  });

  test('asks again after the ledger forgot a question', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    const request = asking();
    await ledger.step([request]);
    await ledger.confirm(ledger.epoch, [request]);
    clock.advance(1_000);
    await expect(approve(ledger, request)).rejects.toMatchObject({ code: 'APPROVAL_NOT_FOUND' });
    expect(await grantSeen(ledger, repeated(request, { appendedAtMs: clock() }))).toMatchObject({
      grant: 'none',
    });
    await approve(ledger, request);
  });

  test('does not use up a grant if another limit refuses', async () => {
    const { ledger } = await begin(make);
    const request = asking({
      plan: planOf({ limits: [budget({ windowMs: 100, id: 'w', maxMicros: 100 }), confirmation] }),
    });
    await ledger.step([request]);
    await ledger.step([stepRequest({ plan: planOf({ limits: [budget({ windowMs: 100, id: 'w' })] }) })]);
    await approve(ledger, request);
    const refused = await decide(ledger, repeated(request));
    expect(refused.limits).toMatchObject([{ ok: false }, { ok: true, grant: 'granted' }]);
    expect(isAllowed(refused)).toBe(false);
    // The grant is still unused, so a person can withdraw it.
    await approve(ledger, request, { answer: 'denied' });
    await approve(ledger, request);
    const next = repeated(request, { attempt: 2, plan: planOf({ limits: [confirmation] }) });
    expect(await limitFactOf(ledger, next)).toMatchObject({ ok: true, grant: 'granted' });
  });

  test('makes a denial final, and replaces the DEFER', async () => {
    const { ledger } = await begin(make);
    const request = asking();
    await ledger.step([request]);
    await approve(ledger, request, { answer: 'denied', expiresAtMs: 0 });
    expect(await grantSeen(ledger, repeated(request))).toMatchObject({ ok: false, grant: 'denied' });
    const next = await decide(ledger, repeated(request, { attempt: 2 }));
    expect(next.first).toMatchObject({ verdict: 'BLOCK', code: 'APPROVAL_DENIED' });
  });

  test('accepts a grant until the millisecond before its expiry, and asks again for the next attempt', async () => {
    const { ledger, clock } = await begin(make);
    const [used, missed] = [asking(), asking({ agentId: 'other', plan: planOf({ limits: [confirmation] }) })];
    await ledger.step([used, missed]);
    for (const request of [used, missed]) await approve(ledger, request, { expiresAtMs: clock() + 100 });
    clock.advance(99);
    expect(await grantSeen(ledger, repeated(used))).toMatchObject({ grant: 'granted' });
    clock.advance(1);
    expect(await grantSeen(ledger, repeated(missed))).toMatchObject({ ok: false, grant: 'expired' });
    await approve(ledger, missed, { expiresAtMs: clock() + 100 });
    const stands = await decide(ledger, repeated(missed));
    expect(stands.first).toMatchObject({ verdict: 'BLOCK', code: 'APPROVAL_EXPIRED' });
    expect(await grantSeen(ledger, repeated(missed, { attempt: 2 }))).toMatchObject({ grant: 'granted' });
  });

  test('uses the latest answer', async () => {
    const { ledger } = await begin(make);
    const request = asking();
    await ledger.step([request]);
    await approve(ledger, request, { answer: 'denied' });
    await approve(ledger, request);
    expect(await grantSeen(ledger, repeated(request))).toMatchObject({ grant: 'granted' });
  });

  test('repeats the answer to a repeated command, and gives no second grant', async () => {
    const { ledger, clock } = await begin(make);
    const request = asking({ plan: planOf({ limits: [confirmation] }) });
    await ledger.step([request]);
    const expiresAtMs = clock() + 100;
    const receipt = await approve(ledger, request, { id: 'once', expiresAtMs });
    expect(receipt).toEqual({ epoch: ledger.epoch, sequence: 2, atMs: clock(), expiresAtMs });
    await ledger.step([repeated(request), settleRequest(request, { status: 'failure' })]);
    clock.advance(5);
    expect(await approve(ledger, request, { id: 'once', expiresAtMs: expiresAtMs + 5 })).toEqual(receipt);
    expect(await grantSeen(ledger, repeated(request, { attempt: 2 }))).toMatchObject({ grant: 'none' });
  });

  test('reports the state of a question: waiting, answered, expired, or already decided', async () => {
    const { ledger, clock } = await begin(make);
    const plan = planOf({ limits: [confirmation] });
    const [used, denied, missed] = [asking({ plan }), asking({ plan }), asking({ plan })];
    const ask = (request: StepRequest) => ledger.question(request);
    expect(await ask(used)).toEqual({ state: 'none', expiresAtMs: null });
    await ledger.step([used, denied, missed]);
    expect(await ask(used)).toEqual({ state: 'waiting', expiresAtMs: null });
    expect(await ask({ ...used, digest: 'another' })).toEqual({ state: 'none', expiresAtMs: null });
    expect(await ask({ ...used, agentId: 'another' })).toEqual({ state: 'none', expiresAtMs: null });
    expect(await ask({ ...used, tenant: 'another' })).toEqual({ state: 'none', expiresAtMs: null });

    const expiresAtMs = clock() + 100;
    for (const request of [used, missed]) await approve(ledger, request, { expiresAtMs });
    await approve(ledger, denied, { answer: 'denied' });
    expect(await ask(used)).toEqual({ state: 'granted', expiresAtMs });
    expect(await ask(denied)).toEqual({ state: 'denied', expiresAtMs: null });
    await ledger.step([repeated(used), repeated(denied)]);
    clock.advance(100);
    for (const request of [used, denied])
      expect(await ask(request)).toEqual({ state: 'none', expiresAtMs: null });
    expect(await ask(missed)).toEqual({ state: 'expired', expiresAtMs });
    await ledger.step([repeated(missed)]);
    expect(await ask(missed)).toEqual({ state: 'expired', expiresAtMs });
  });

  test('keeps a question as long as its policy says, even if its action id would be forgotten earlier', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    const plan = planOf({ limits: [{ kind: 'confirmation', maxWaiting: 1, questionMs: 5_000 }] });
    const [first, second] = [asking({ plan }), asking({ plan })];
    await ledger.step([first]);
    await ledger.confirm(ledger.epoch, [first]);
    clock.advance(4_999);
    expect(await ledger.question(first)).toMatchObject({ state: 'waiting' });
    expect(await decide(ledger, { ...second, appendedAtMs: clock() })).toMatchObject({
      limits: [{ waiting: 1 }],
    });
    await approve(ledger, first, { expiresAtMs: clock() + 60_000 });
    clock.advance(30_000);
    const granted = await decide(ledger, repeated(first, { appendedAtMs: clock() }));
    expect(granted.limits).toMatchObject([{ ok: true, grant: 'granted' }]);

    const late = asking({ plan, agentId: 'late' });
    await ledger.step([late]);
    await ledger.confirm(ledger.epoch, [late]);
    clock.advance(5_000);
    expect(await ledger.question(late)).toMatchObject({ state: 'none' });
    await expect(approve(ledger, late)).rejects.toMatchObject({ code: 'APPROVAL_NOT_FOUND' });
  });

  test('keeps two questions about one call for different times if their plans say so', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    const planFor = (questionMs: number) =>
      planOf({ limits: [{ kind: 'confirmation', maxWaiting: 2, questionMs }] });
    const [brief, long] = [asking({ plan: planFor(2_000) }), asking({ plan: planFor(5_000) })];
    await ledger.step([brief, long]);
    await ledger.confirm(ledger.epoch, [brief, long]);
    clock.advance(2_000);
    expect(await ledger.question(brief)).toMatchObject({ state: 'none' });
    expect(await ledger.question(long)).toMatchObject({ state: 'waiting' });
  });
}
