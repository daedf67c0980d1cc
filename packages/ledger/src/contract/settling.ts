import type { Charging, SettleRequest } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { allow, begin, decide, type MakeLedger, settle, spent } from './bench.ts';
import { budget, planOf, refusal, settleRequest, stepRequest, TENANT } from './builders.ts';

const SUCCESS: Charging = { type: 'SUCCESS_BASED', estimateMicros: 100 };
const ATTEMPT: Charging = { type: 'ATTEMPT_BASED', estimateMicros: 100 };
const TIERED: Charging = { type: 'TIERED', attemptMicros: 20, successMicros: 30, verificationMicros: 50 };
const COMPOSED: Charging = {
  type: 'COMPOSED',
  failedMicros: 20,
  succeededMicros: 50,
  verifiedMicros: 90,
  estimateMicros: 70,
};

type Row = [Charging, Pick<SettleRequest, 'status'> & Partial<SettleRequest>, costs: number];

export function settling(make: MakeLedger): void {
  test.each<Row>([
    [SUCCESS, { status: 'success' }, 100],
    [SUCCESS, { status: 'success', actualMicros: 40 }, 40],
    [SUCCESS, { status: 'success', actualMicros: 250 }, 250],
    [SUCCESS, { status: 'success', actualMicros: 0, verified: true }, 0],
    [SUCCESS, { status: 'failure' }, 0],
    [SUCCESS, { status: 'failure', actualMicros: 40 }, 40],
    [SUCCESS, { status: 'success', verified: false }, 0],
    [SUCCESS, { status: 'success', verified: false, actualMicros: 40 }, 40],
    [SUCCESS, { status: 'cancelled', actualMicros: 40 }, 0],
    [ATTEMPT, { status: 'success' }, 100],
    [ATTEMPT, { status: 'success', actualMicros: 40 }, 100],
    [ATTEMPT, { status: 'failure', actualMicros: 250 }, 250],
    [ATTEMPT, { status: 'success', verified: false }, 100],
    [ATTEMPT, { status: 'cancelled' }, 0],
    [TIERED, { status: 'success' }, 50],
    [TIERED, { status: 'success', verified: true, actualMicros: 999 }, 100],
    [TIERED, { status: 'failure' }, 20],
    [TIERED, { status: 'success', verified: false }, 20],
    [TIERED, { status: 'cancelled' }, 0],
    [COMPOSED, { status: 'success' }, 70],
    [COMPOSED, { status: 'success', actualMicros: 40 }, 50],
    [COMPOSED, { status: 'success', actualMicros: 60 }, 60],
    [COMPOSED, { status: 'success', verified: true }, 90],
    [COMPOSED, { status: 'success', verified: true, actualMicros: 250 }, 250],
    [COMPOSED, { status: 'failure' }, 20],
    [COMPOSED, { status: 'failure', actualMicros: 10 }, 20],
    [COMPOSED, { status: 'failure', actualMicros: 40 }, 40],
    [COMPOSED, { status: 'success', verified: false }, 20],
    [COMPOSED, { status: 'cancelled', actualMicros: 40 }, 0],
  ])('%j with %j costs %j in every counter', async (charging, outcome, costs) => {
    const { ledger } = await begin(make);
    const limits = [budget({ scope: 'tenant', subject: '', id: 'team', windowMs: 60_000 })];
    const request = await allow(ledger, stepRequest({ plan: planOf({ charging, limits }) }));
    expect(await settle(ledger, settleRequest(request, outcome))).toMatchObject({
      kind: 'settled',
      sequence: 2,
      late: false,
      deltaMicros: costs - 100,
      chargedMicros: costs,
      cumulativeMicros: costs,
    });
    expect(await spent(ledger, TENANT)).toEqual(
      costs === 0 ? {} : { 'agent agent-1 total': costs, 'tenant  team 60000': costs },
    );
  });

  test('the first outcome settles; later ones change nothing and tell what it has cost', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest());
    await settle(ledger, settleRequest(request, { actualMicros: 40 }));
    expect(await settle(ledger, settleRequest(request, { status: 'cancelled' }))).toMatchObject({
      kind: 'repeated',
      deltaMicros: 0,
      chargedMicros: 40,
      cumulativeMicros: 40,
    });
  });

  test('an outcome of what was never asked, or not allowed, changes nothing', async () => {
    const { ledger } = await begin(make);
    const blocked = stepRequest({ plan: planOf({ refusal: refusal() }) });
    await ledger.step([blocked]);
    const nothing = { deltaMicros: 0, chargedMicros: 0, cumulativeMicros: 0, late: false, overdrawn: false };
    expect(await settle(ledger, settleRequest(blocked))).toMatchObject({ kind: 'not_allowed', ...nothing });
    const attempt = settleRequest(blocked, { attempt: 2 });
    expect(await settle(ledger, attempt)).toMatchObject({ kind: 'unknown', ...nothing });
    expect(await settle(ledger, settleRequest(stepRequest()))).toMatchObject({ kind: 'unknown', ...nothing });
  });

  test('an outcome after the lease ran out still settles, once, and is late from that millisecond', async () => {
    const { ledger, clock } = await begin(make);
    const plan = planOf({ leaseMs: 500 });
    const inTime = await allow(ledger, stepRequest({ plan }));
    const tooLate = await allow(ledger, stepRequest({ plan }));
    clock.advance(499);
    expect(await settle(ledger, settleRequest(inTime))).toMatchObject({ kind: 'settled', late: false });
    clock.advance(1);
    // Until it is heard of, it costs what was reserved.
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 200 });
    const outcome = settleRequest(tooLate, { actualMicros: 10 });
    expect(await settle(ledger, outcome)).toMatchObject({ kind: 'settled', late: true, deltaMicros: -90 });
    expect(await settle(ledger, settleRequest(tooLate))).toMatchObject({ kind: 'repeated' });
  });

  test('what costs more than it reserved is charged in full, and says that a budget is overdrawn', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ limits: [budget({ maxMicros: 200 })] });
    const [one, other] = [
      await allow(ledger, stepRequest({ plan })),
      await allow(ledger, stepRequest({ plan })),
    ];
    expect(await settle(ledger, settleRequest(one, { actualMicros: 150 }))).toMatchObject({
      overdrawn: true,
    });
    // It still is, but this one gave back.
    expect(await settle(ledger, settleRequest(other, { actualMicros: 80 }))).toMatchObject({
      overdrawn: false,
    });
    const next = await decide(ledger, stepRequest({ plan }));
    expect(next.limits).toMatchObject([{ spentMicros: 230, ok: false }]);
  });

  test('of two limits on one counter the tighter is the one that is overdrawn', async () => {
    const { ledger } = await begin(make);
    const limits = [budget({ maxMicros: 1_000 }), budget({ maxMicros: 200 }), budget({ maxMicros: null })];
    const request = await allow(ledger, stepRequest({ plan: planOf({ limits }) }));
    expect(await settle(ledger, settleRequest(request, { actualMicros: 201 }))).toMatchObject({
      overdrawn: true,
    });
  });

  test('more than reserved within the limit is not overdrawn', async () => {
    const { ledger } = await begin(make);
    const request = await allow(
      ledger,
      stepRequest({ plan: planOf({ limits: [budget({ maxMicros: 200 })] }) }),
    );
    expect(await settle(ledger, settleRequest(request, { actualMicros: 200 }))).toMatchObject({
      overdrawn: false,
    });
  });

  test('each attempt settles for itself', async () => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, stepRequest());
    await settle(ledger, settleRequest(request, { status: 'failure' }));
    await allow(ledger, { ...stepRequest(), actionId: request.actionId, attempt: 2 });
    const second = settleRequest(request, { attempt: 2, actualMicros: 30 });
    expect(await settle(ledger, second)).toMatchObject({
      kind: 'settled',
      chargedMicros: 30,
      cumulativeMicros: 30,
    });
  });
}
