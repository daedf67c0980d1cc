import type { FirstDecision, StepRequest } from '@mandate/schemas';
import { expect, test } from 'vitest';
import type { Ledger } from '../port.ts';
import { allow, begin, decide, isAllowed, type MakeLedger, settle } from './bench.ts';
import {
  budget,
  confirmation,
  planOf,
  rate,
  refusal,
  repeated,
  settleRequest,
  stepRequest,
} from './builders.ts';

/** Returns the first decision if the request is its duplicate. Null if the request is decided itself. */
async function firstOf(ledger: Ledger, request: StepRequest): Promise<Partial<FirstDecision> | null> {
  const { first, limits, chargedMicros } = await decide(ledger, request);
  if (first !== null) expect([limits, chargedMicros]).toEqual([[], 0]);
  return first;
}

export function duplicates(make: MakeLedger): void {
  test('names the first decision if the same id and attempt come at another position', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest());
    expect(await firstOf(ledger, repeated(request))).toEqual({
      source: request.source,
      appendedAtMs: request.appendedAtMs,
      kind: 'first',
      actionId: request.actionId,
      attempt: 1,
      verdict: 'ALLOW',
      code: 'ALLOWED',
      samePayload: true,
    });
  });

  test('reports another payload under a known id as a duplicate, with samePayload false', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest());
    const first = await firstOf(ledger, repeated(request, { digest: 'another' }));
    expect(first?.samePayload).toBe(false);
  });

  test('never replaces the first decision by a duplicate', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest());
    await ledger.step([repeated(request, { digest: 'another' })]);
    const first = await firstOf(ledger, repeated(request));
    expect(first).toMatchObject({ source: request.source, samePayload: true });
  });

  test('scopes ids by tenant and agent', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest({ idempotencyKey: 'key' }));
    expect(await firstOf(ledger, repeated(request, { tenant: 'other' }))).toBeNull();
    expect(await firstOf(ledger, repeated(request, { agentId: 'other' }))).toBeNull();
  });

  test.each<[string, Partial<StepRequest>]>([
    ['too late', { deadlineAtMs: 0 }],
    ['for now by a rate', { plan: planOf({ limits: [rate({ maxCalls: 1 })] }) }],
    [
      'for now by a window',
      { plan: planOf({ limits: [budget({ id: 'w', windowMs: 1_000, maxMicros: 150 })] }) },
    ],
    [
      'by an internal error',
      { plan: planOf({ refusal: refusal({ code: 'INTERNAL_ERROR', final: false }) }) },
    ],
  ])('decides the next attempt if the first attempt was blocked %s', async (_why, overrides) => {
    const { ledger } = await begin(make);
    await allow(
      ledger,
      stepRequest({
        ...overrides,
        deadlineAtMs: null,
        plan: { ...planOf(), limits: overrides.plan?.limits ?? [] },
      }),
    );
    const request = stepRequest(overrides);
    expect(isAllowed(await decide(ledger, request))).toBe(false);
    expect(await firstOf(ledger, repeated(request))).toMatchObject({ attempt: 1, verdict: 'BLOCK' });
    const next = repeated(request, { attempt: 2, deadlineAtMs: null, plan: planOf() });
    expect(await firstOf(ledger, next)).toBeNull();
    expect(await firstOf(ledger, repeated(next))).toMatchObject({ attempt: 2, verdict: 'ALLOW' });
    expect(await firstOf(ledger, repeated(request))).toMatchObject({ attempt: 1, verdict: 'BLOCK' });
  });

  test.each<[string, Partial<StepRequest>]>([
    ['by the policy', { plan: planOf({ refusal: refusal() }) }],
    ['for good by a budget', { plan: planOf({ limits: [budget({ maxMicros: 10 })] }) }],
    ['for good by a rate of none', { plan: planOf({ limits: [rate({ maxCalls: 0 })] }) }],
    [
      'for now by one limit and for good by another',
      { plan: planOf({ limits: [rate({ maxCalls: 1 }), budget({ maxMicros: 150 })] }) },
    ],
    ['until a person confirms', { plan: planOf({ limits: [confirmation] }) }],
  ])('makes the next attempt a duplicate if the first attempt was held back %s', async (_why, overrides) => {
    const { ledger } = await begin(make);
    await allow(ledger, stepRequest({ plan: planOf({ limits: [rate({ maxCalls: 9 }), budget()] }) }));
    const request = stepRequest(overrides);
    expect(isAllowed(await decide(ledger, request))).toBe(false);
    expect(await firstOf(ledger, repeated(request, { attempt: 2, plan: planOf() }))).toMatchObject({
      attempt: 1,
    });
  });

  test('makes the next attempt a duplicate after a kill, even after the agent is revived', async () => {
    const { ledger } = await begin(make);
    await ledger.kill({ scope: 'all' }, { id: 'k', by: 'op', reason: 'stop' });
    const request = stepRequest();
    await ledger.step([request]);
    await ledger.revive({ scope: 'all' }, 2, 'r');
    expect(await firstOf(ledger, repeated(request, { attempt: 2 }))).toMatchObject({ code: 'AGENT_KILLED' });
  });

  test.each([
    ['failed', { status: 'failure' }, true],
    ['was cancelled', { status: 'cancelled' }, true],
    ['succeeded, but failed its verification', { status: 'success', verified: false }, true],
    ['succeeded', { status: 'success' }, false],
    ['succeeded and was verified', { status: 'success', verified: true }, false],
  ] as const)(
    'decides the next attempt, or repeats the first decision, after an action that %s',
    async (_what, outcome, anew) => {
      const { ledger } = await begin(make);
      const request = await allow(ledger, stepRequest());
      expect(await firstOf(ledger, repeated(request, { attempt: 2 }))).not.toBeNull();
      await settle(ledger, settleRequest(request, outcome));
      expect((await firstOf(ledger, repeated(request, { attempt: 2 }))) === null).toBe(anew);
    },
  );

  test('accepts another attempt of an allowed action from the millisecond when its lease ends', async () => {
    const { ledger, clock } = await begin(make);
    const request = await allow(ledger, stepRequest({ plan: planOf({ leaseMs: 500 }) }));
    clock.advance(499);
    expect(await firstOf(ledger, repeated(request, { attempt: 2 }))).toMatchObject({ attempt: 1 });
    clock.advance(1);
    expect(await firstOf(ledger, repeated(request, { attempt: 3 }))).toBeNull();
    expect(await firstOf(ledger, repeated(request, { attempt: 2 }))).toMatchObject({ attempt: 3 });
  });

  test('makes an attempt below the highest attempt a duplicate of the highest, even if it may be retried', async () => {
    const { ledger } = await begin(make);
    const request = stepRequest({ attempt: 3, deadlineAtMs: 0 });
    await ledger.step([request]);
    const lower = repeated(request, { attempt: 2, deadlineAtMs: null });
    expect(await firstOf(ledger, lower)).toMatchObject({ attempt: 3 });
    expect(await firstOf(ledger, repeated(lower, { attempt: 4 }))).toBeNull();
  });

  test("makes a request with the idempotency key of another action a duplicate of that action's latest attempt", async () => {
    const { ledger } = await begin(make);
    const blocked = stepRequest({ idempotencyKey: 'key', deadlineAtMs: 0 });
    const retried = repeated(blocked, { attempt: 2, deadlineAtMs: null });
    await ledger.step([blocked, retried]);
    const other = stepRequest({ idempotencyKey: 'key' });
    expect(await firstOf(ledger, other)).toMatchObject({ actionId: blocked.actionId, attempt: 2 });
    // The duplicate did not claim its own action id, so this id is still free.
    expect(await firstOf(ledger, repeated(other, { idempotencyKey: null }))).toBeNull();
  });

  test('claims the idempotency key also for a blocked decision', async () => {
    const { ledger } = await begin(make);
    const blocked = stepRequest({ idempotencyKey: 'key', plan: planOf({ refusal: refusal() }) });
    await ledger.step([blocked]);
    expect(await firstOf(ledger, stepRequest({ idempotencyKey: 'key' }))).toMatchObject({
      code: 'TOOL_DENIED',
    });
  });

  test('checks only the id of an action that is sent again with its own idempotency key', async () => {
    const { ledger } = await begin(make);
    const request = stepRequest({ idempotencyKey: 'key', deadlineAtMs: 0 });
    await ledger.step([request]);
    expect(await firstOf(ledger, repeated(request, { attempt: 2, deadlineAtMs: null }))).toBeNull();
  });

  test('forgets ids, keys and positions after the replay memory, to the millisecond', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    const request = stepRequest({ idempotencyKey: 'key', plan: planOf({ refusal: refusal() }) });
    await ledger.step([request]);
    await ledger.confirm(ledger.epoch, [request]);
    clock.advance(999);
    expect(await firstOf(ledger, repeated(request))).not.toBeNull();
    expect(await firstOf(ledger, stepRequest({ idempotencyKey: 'key' }))).not.toBeNull();
    clock.advance(1);
    expect(await firstOf(ledger, stepRequest({ idempotencyKey: 'key' }))).toBeNull();
    expect(await firstOf(ledger, repeated(request, { idempotencyKey: null }))).toBeNull();
    expect(await decide(ledger, request)).toMatchObject({ first: { actionId: request.actionId } });
  });

  test('counts the replay memory of a request with a future time from that time on, like its deadline', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    const appendedAtMs = clock() + 500;
    const plan = planOf({ leaseMs: 10 });
    const early = stepRequest({ appendedAtMs, plan, deadlineAtMs: appendedAtMs + 999 });
    const [refused, duplicate] = [
      stepRequest({ appendedAtMs, plan: planOf({ refusal: refusal() }) }),
      repeated(early, { appendedAtMs }),
    ];
    const requests = [early, refused, duplicate];
    await ledger.step(requests);
    await ledger.confirm(ledger.epoch, requests);
    clock.advance(1_499);
    await ledger.step([stepRequest({ agentId: 'other' }), stepRequest({ agentId: 'other' })]);
    expect(await ledger.step(requests)).toEqual(requests.map(() => ({ kind: 'published' })));
    clock.advance(1);
    expect(await decide(ledger, early)).toMatchObject({ first: null, late: true });
    expect(await decide(ledger, refused)).toMatchObject({ first: null });
  });

  test('does not forget an action before its lease ends, even if the replay memory is shorter', async () => {
    const { ledger, clock } = await begin(make, 1_000);
    const request = await allow(ledger, stepRequest({ plan: planOf({ leaseMs: 5_000 }) }));
    await ledger.confirm(ledger.epoch, [request]);
    clock.advance(4_999);
    await ledger.step([stepRequest({ agentId: 'other' })]);
    expect(await firstOf(ledger, repeated(request))).not.toBeNull();
    clock.advance(1);
    expect(await firstOf(ledger, repeated(request))).toBeNull();
  });
}
