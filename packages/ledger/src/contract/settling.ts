import {
  type Charging,
  type Plan,
  type SettleRequest,
  type Settling,
  type StepRequest,
  type TokenPrice,
  UNBOUND_SETTLING,
} from '@mandate/schemas';
import { describe, expect, test } from 'vitest';
import type { Ledger } from '../port.ts';
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
  ])(
    'an action charged by %j with the outcome %j costs %j in every counter',
    async (charging, outcome, costs) => {
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
    },
  );

  test('settles an action by its first outcome; later outcomes change nothing and report the same cost', async () => {
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

  test('changes nothing for an outcome of an action that was not requested or not allowed', async () => {
    const { ledger } = await begin(make);
    const blocked = stepRequest({ plan: planOf({ refusal: refusal() }) });
    await ledger.step([blocked]);
    const nothing = { deltaMicros: 0, chargedMicros: 0, cumulativeMicros: 0, late: false, overdrawn: false };
    expect(await settle(ledger, settleRequest(blocked))).toMatchObject({ kind: 'not_allowed', ...nothing });
    const attempt = settleRequest(blocked, { attempt: 2 });
    expect(await settle(ledger, attempt)).toMatchObject({ kind: 'unknown', ...nothing });
    expect(await settle(ledger, settleRequest(stepRequest()))).toMatchObject({ kind: 'unknown', ...nothing });
  });

  test('accepts one outcome after the lease, and marks it late from the millisecond when the lease ends', async () => {
    const { ledger, clock } = await begin(make);
    const plan = planOf({ leaseMs: 500 });
    const inTime = await allow(ledger, stepRequest({ plan }));
    const tooLate = await allow(ledger, stepRequest({ plan }));
    clock.advance(499);
    expect(await settle(ledger, settleRequest(inTime))).toMatchObject({ kind: 'settled', late: false });
    clock.advance(1);
    // Until its outcome arrives, the action costs its reservation.
    expect(await spent(ledger, TENANT)).toEqual({ 'agent agent-1 total': 200 });
    const outcome = settleRequest(tooLate, { actualMicros: 10 });
    expect(await settle(ledger, outcome)).toMatchObject({ kind: 'settled', late: true, deltaMicros: -90 });
    expect(await settle(ledger, settleRequest(tooLate))).toMatchObject({ kind: 'repeated' });
  });

  test('charges a cost above the reservation in full, and reports an overdrawn budget', async () => {
    const { ledger } = await begin(make);
    const plan = planOf({ limits: [budget({ maxMicros: 200 })] });
    const [one, other] = [
      await allow(ledger, stepRequest({ plan })),
      await allow(ledger, stepRequest({ plan })),
    ];
    expect(await settle(ledger, settleRequest(one, { actualMicros: 150 }))).toMatchObject({
      overdrawn: true,
    });
    // The budget is still overdrawn. But this outcome gave money back, so it is not reported as overdrawn.
    expect(await settle(ledger, settleRequest(other, { actualMicros: 80 }))).toMatchObject({
      overdrawn: false,
    });
    const next = await decide(ledger, stepRequest({ plan }));
    expect(next.limits).toMatchObject([{ spentMicros: 230, ok: false }]);
  });

  test('reports an overdrawn budget by the lower of two limits on one counter', async () => {
    const { ledger } = await begin(make);
    const limits = [budget({ maxMicros: 1_000 }), budget({ maxMicros: 200 }), budget({ maxMicros: null })];
    const request = await allow(ledger, stepRequest({ plan: planOf({ limits }) }));
    expect(await settle(ledger, settleRequest(request, { actualMicros: 201 }))).toMatchObject({
      overdrawn: true,
    });
  });

  test('does not report overdrawn if the cost exceeds the reservation but not the limit', async () => {
    const { ledger } = await begin(make);
    const request = await allow(
      ledger,
      stepRequest({ plan: planOf({ limits: [budget({ maxMicros: 200 })] }) }),
    );
    expect(await settle(ledger, settleRequest(request, { actualMicros: 200 }))).toMatchObject({
      overdrawn: false,
    });
  });

  test('settles each attempt separately', async () => {
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

  const held = (settling: Partial<Settling>, overrides: Partial<StepRequest['plan']> = {}) =>
    stepRequest({ plan: planOf({ ...overrides, settling: { ...UNBOUND_SETTLING, ...settling } }) });

  test.each<[string, Partial<Settling>, Partial<SettleRequest>, costs: number]>([
    ['a price', { leastMicros: 70 }, { actualMicros: 0, mayRelease: true }, 70],
    ['a price', { leastMicros: 70 }, { actualMicros: 80, mayRelease: true }, 80],
    ['a price', { leastMicros: 70, ownLeastMicros: 90 }, { actualMicros: 0, mayRelease: true }, 70],
    ['a price', { leastMicros: 70, ownLeastMicros: 90 }, { actualMicros: 0 }, 90],
    ['an estimate', { ownLeastMicros: 90 }, { actualMicros: 0, verified: true }, 90],
    ['an estimate', { ownLeastMicros: 90 }, { actualMicros: 5, mayRelease: true }, 5],
    ['an estimate', { ownLeastMicros: 90 }, { actualMicros: 0, verified: false }, 0],
  ])('under %s (%j), a success reported as %j costs %i', async (_what, settling, overrides, costs) => {
    const { ledger } = await begin(make);
    const request = await allow(ledger, held(settling));
    expect(await settle(ledger, settleRequest(request, overrides))).toMatchObject({ chargedMicros: costs });
  });

  describe('token usage', () => {
    /** A million tokens cost $1 of input, $0.10 from a cache, $1.25 into a cache, and $4 of output. */
    const PRICE: TokenPrice = {
      fromInputTokens: 0,
      inputMicros: 1_000_000,
      cachedInputMicros: 100_000,
      cacheWriteMicros: 1_250_000,
      outputMicros: 4_000_000,
      perCallMicros: 0,
    };
    const usage = { inputTokens: 100, cachedInputTokens: 50, cacheWriteTokens: 20, outputTokens: 10 };
    const LARGEST = Number.MAX_SAFE_INTEGER;

    test.each<[string, Partial<TokenPrice>[], Partial<SettleRequest>, costs: number, priced?: number]>([
      ['costs its tokens', [PRICE], {}, 100],
      ['costs its tokens after a failure', [PRICE], { status: 'failure' }, 100],
      ['is rounded up once', [{ ...PRICE, inputMicros: 1_000_001, outputMicros: 4_000_001 }], {}, 101],
      ['costs less than an actual cost that is higher', [PRICE], { actualMicros: 101 }, 101, 100],
      ['costs more than an actual cost that is lower', [PRICE], { actualMicros: 99 }, 100],
      ['costs the highest price', [PRICE, { ...PRICE, outputMicros: 8_000_000 }], {}, 140],
      [
        'costs the price of long inputs',
        [PRICE, { ...PRICE, fromInputTokens: 100, perCallMicros: 3 }],
        {},
        103,
      ],
      [
        'ignores the price of longer inputs',
        [PRICE, { ...PRICE, fromInputTokens: 101, perCallMicros: 3 }],
        {},
        100,
      ],
      [
        'is exact for very high prices',
        [{ ...PRICE, inputMicros: 123_456_789_012_345, outputMicros: 7 }],
        {},
        3_703_703_671 + 30,
      ],
      [
        'costs at most the largest amount',
        [{ ...PRICE, inputMicros: LARGEST }],
        { usage: { ...usage, inputTokens: 2_000_000 } },
        LARGEST,
      ],
    ])('%s', async (_what, prices, overrides, costs, priced = costs) => {
      const { ledger } = await begin(make);
      const tokenPrices = prices.map((price) => ({ ...PRICE, ...price }));
      const request = await allow(ledger, held({ tokenPrices, ownLeastMicros: 1_000 }));
      const outcome = settleRequest(request, { usage, ...overrides });
      expect(await settle(ledger, outcome)).toMatchObject({ chargedMicros: costs, usageMicros: priced });
    });

    test('above the cap and the cost per call is an excess, and is marked', async () => {
      const { ledger } = await begin(make);
      const request = await allow(ledger, held({ tokenPrices: [PRICE], mostMicros: 60, markMicros: 99 }));
      expect(await settle(ledger, settleRequest(request, { usage }))).toMatchObject({
        ...{ chargedMicros: 60, excessMicros: 40, usageMicros: 100, overCostPerCall: true },
      });
    });

    test.each<[string, Partial<StepRequest['plan']>, Partial<Settling>, costs: number]>([
      ['without a price', {}, {}, 100],
      ['with cost tiers', { charging: TIERED }, { tokenPrices: [PRICE] }, 50],
    ])('does not count %s', async (_what, plan, settling, costs) => {
      const { ledger } = await begin(make);
      const request = await allow(ledger, held(settling, plan));
      expect(await settle(ledger, settleRequest(request, { usage }))).toMatchObject({
        ...{ chargedMicros: costs, excessMicros: 0 },
      });
    });

    test('changes nothing after the first outcome, and says so again after a redelivery', async () => {
      const { ledger } = await begin(make);
      const request = await allow(ledger, held({ tokenPrices: [PRICE] }));
      const first = settleRequest(request, { usage });
      const facts = await settle(ledger, first);
      expect((await ledger.step([first]))[0]).toMatchObject({ facts, redelivered: true });
      expect(await settle(ledger, settleRequest(request, { usage }))).toMatchObject({
        ...{ kind: 'repeated', usageMicros: null, chargedMicros: 100 },
      });
    });
  });

  test("charges an excess above the cap to the agent's own budgets, and to no shared budget", async () => {
    const { ledger } = await begin(make);
    const limits = [
      budget({ scope: 'tenant', subject: '', id: 'team', maxMicros: 5_000 }),
      budget({ subject: 'lead', maxMicros: null }),
      budget({ id: 'daily', windowMs: 60_000, maxMicros: 5_000 }),
    ];
    const request = await allow(ledger, held({ mostMicros: 300 }, { limits }));
    const outcome = settleRequest(request, { actualMicros: 9_000, mayRelease: true });
    expect(await settle(ledger, outcome)).toMatchObject({
      ...{ deltaMicros: 200, chargedMicros: 300, excessMicros: 8_700, overdrawn: true },
      cumulativeMicros: 9_000,
    });
    expect(await spent(ledger, TENANT)).toEqual({
      'agent agent-1 daily 60000': 9_000,
      'agent agent-1 total': 9_000,
      'agent lead total': 300,
      'tenant  team': 300,
    });
    expect(await ledger.unpublished(TENANT)).toMatchObject([
      { delta: 100, budgets: { length: 4 } },
      { delta: 200, budgets: { length: 4 } },
      { delta: 8_700, budgets: [{ id: 'daily' }, { id: 'total' }] },
    ]);
    // The excess used up the agent's own budget, but no budget of another agent.
    const { limits: seen } = await decide(ledger, held({}, { limits: [budget({ maxMicros: 5_000 })] }));
    expect(seen).toMatchObject([{ ok: false }]);
    await allow(ledger, { ...held({}, { limits: limits.slice(0, 1) }), agentId: 'agent-2' });
  });

  test('caps the cost of a failure too, and ignores the actual cost if the plan has cost tiers', async () => {
    const { ledger } = await begin(make);
    const failed = await allow(ledger, held({ mostMicros: 300 }));
    expect(
      await settle(ledger, settleRequest(failed, { status: 'failure', actualMicros: 400 })),
    ).toMatchObject({ chargedMicros: 300, excessMicros: 100 });
    const tiered = await allow(ledger, held({ mostMicros: 300 }, { charging: TIERED }));
    expect(await settle(ledger, settleRequest(tiered, { actualMicros: 400 }))).toMatchObject({
      ...{ chargedMicros: 50, excessMicros: 0 },
    });
  });

  test('keeps every counter exact after extreme costs, and still charges the next outcomes up to their cap', async () => {
    const { ledger } = await begin(make);
    const limits = [
      budget({ scope: 'tenant', subject: '', id: 'team', maxMicros: null }),
      budget({ id: 'daily', windowMs: 60_000, maxMicros: null }),
    ];
    const requests: StepRequest[] = [];
    for (let open = 0; open < 4; open += 1) {
      requests.push(await allow(ledger, held({ mostMicros: 300 }, { limits })));
    }
    for (const request of requests) {
      const outcome = settleRequest(request, { actualMicros: Number.MAX_SAFE_INTEGER });
      expect((await settle(ledger, outcome)).chargedMicros).toBe(300);
    }
    const half = Math.floor(Number.MAX_SAFE_INTEGER / 2);
    expect(await spent(ledger, TENANT)).toEqual({
      // After the first outcome no excess could be charged, but the capped cost of each outcome was charged.
      'agent agent-1 daily 60000': half + 600,
      'agent agent-1 total': half + 600,
      'tenant  team': 1_200,
    });
  });

  test('charges an actual cost above the cost per call, and marks the settlement', async () => {
    const { ledger } = await begin(make);
    const at = async (actualMicros: number) => {
      const request = await allow(ledger, held({ markMicros: 120 }));
      return settle(ledger, settleRequest(request, { actualMicros }));
    };
    expect(await at(120)).toMatchObject({ chargedMicros: 120, overCostPerCall: false });
    expect(await at(121)).toMatchObject({ chargedMicros: 121, overCostPerCall: true });
  });

  describe("a release by the agent's own report", () => {
    const releases = { micros: 200, percent: 20 };

    async function settled(ledger: Ledger, overrides: Partial<SettleRequest>, plan: Partial<Plan> = {}) {
      const request = await allow(ledger, held({ releases }, plan));
      return settle(ledger, settleRequest(request, overrides));
    }

    test.each(['failure', 'cancelled'] as const)(
      'is capped by the plan; above the cap, a %s keeps its reservation charged',
      async (status) => {
        const { ledger } = await begin(make);
        for (const releasedMicros of [100, 100]) {
          expect(await settled(ledger, { status })).toMatchObject({
            ...{ deltaMicros: -100, chargedMicros: 0, releasedMicros, releaseRefused: false },
          });
        }
        expect(await settled(ledger, { status })).toMatchObject({
          ...{ deltaMicros: 0, chargedMicros: 100, releasedMicros: 0, releaseRefused: true },
        });
        expect(await spent(ledger, TENANT)).toEqual({
          'agent agent-1 released': 200,
          'agent agent-1 total': 100,
        });
      },
    );

    test('has the same cap if one call reserves more', async () => {
      const { ledger } = await begin(make);
      const reserving = (micros: number): Partial<Plan> => ({
        reserveMicros: micros,
        charging: { type: 'SUCCESS_BASED', estimateMicros: micros },
      });
      expect(await settled(ledger, { status: 'failure' }, reserving(201))).toMatchObject({
        ...{ chargedMicros: 201, releaseRefused: true },
      });
      expect(await settled(ledger, { status: 'failure' }, reserving(200))).toMatchObject({
        ...{ chargedMicros: 0, releasedMicros: 200 },
      });
    });

    test('counts for each agent separately, and ignores the actual cost of a failure', async () => {
      const { ledger } = await begin(make);
      for (const releasedMicros of [60, 60, 60]) {
        const facts = await settled(ledger, { status: 'failure', actualMicros: 40 });
        expect(facts).toMatchObject({ chargedMicros: 40, releasedMicros });
      }
      expect(await settled(ledger, { status: 'failure' })).toMatchObject({ releaseRefused: true });
      const other = await allow(ledger, { ...held({ releases }), agentId: 'agent-2' });
      expect(await settle(ledger, settleRequest(other, { status: 'failure' }))).toMatchObject({
        releaseRefused: false,
      });
    });

    test.each<[Charging, costs: number]>([
      [SUCCESS, 0],
      [ATTEMPT, 100],
      [TIERED, 20],
      [COMPOSED, 20],
    ])('counts a cancelled action like a failure: under %j the action costs %i', async (charging, costs) => {
      const { ledger } = await begin(make);
      expect(await settled(ledger, { status: 'cancelled' }, { charging })).toMatchObject({
        ...{ chargedMicros: costs, releasedMicros: 100 - costs },
      });
    });

    test('is not capped for a key with the permission to release, and does not count towards the cap', async () => {
      const { ledger } = await begin(make);
      for (const status of ['cancelled', 'failure', 'cancelled'] as const) {
        expect(await settled(ledger, { status, mayRelease: true }, { charging: SUCCESS })).toMatchObject({
          ...{ chargedMicros: 0, releasedMicros: 0 },
        });
      }
      expect(await spent(ledger, TENANT)).toEqual({});
    });

    test('is allowed again after successes that cost money, but never above the first cap', async () => {
      const { ledger } = await begin(make);
      for (let failures = 0; failures < 2; failures += 1) await settled(ledger, { status: 'failure' });
      const costing = (micros: number): Partial<Plan> => ({
        reserveMicros: micros,
        charging: { type: 'SUCCESS_BASED', estimateMicros: micros },
      });
      expect(await settled(ledger, {}, costing(400))).toMatchObject({ releasedMicros: -80 });
      expect(await settled(ledger, { status: 'failure' })).toMatchObject({ releaseRefused: true });
      expect(await settled(ledger, {}, costing(1_000))).toMatchObject({ releasedMicros: -120 });
      expect(await settled(ledger, {}, costing(1_000))).toMatchObject({ releasedMicros: 0 });
      const refused: boolean[] = [];
      for (let failures = 0; failures < 3; failures += 1) {
        refused.push((await settled(ledger, { status: 'failure' })).releaseRefused);
      }
      expect(refused).toEqual([false, false, true]);
    });

    test('is refused if the cap is 0', async () => {
      const { ledger } = await begin(make);
      const request = await allow(ledger, held({ releases: { micros: 0, percent: 100 } }));
      expect(await settle(ledger, settleRequest(request, { status: 'failure' }))).toMatchObject({
        ...{ chargedMicros: 100, releaseRefused: true },
      });
      // An action without a reservation releases nothing.
      const free = await allow(ledger, held({ releases: { micros: 0, percent: 100 } }, { reserveMicros: 0 }));
      expect(await settle(ledger, settleRequest(free, { status: 'failure' }))).toMatchObject({
        releaseRefused: false,
      });
    });
  });
}
