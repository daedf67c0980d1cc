/**
 * Tests the cost of a call under several policies: the highest reservation, the highest charge, and a price from each
 * policy that limits money.
 */
import { type Mandate, plan } from '@mandate/policy';
import { DEFAULTS } from '@mandate/schemas';
import { hits, runs } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type Box, deciderInABox, decisionOf, START_MS, settlementOf } from '../decider-in-a-box.ts';
import { CALL, composed, enforce, NAMES, named } from './policy-composition.fixture.ts';

// The timeout is long: each test runs many random cases, which takes a second or two, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const amount = fc.constantFrom(0, 0.01, 0.03, 0.04, 0.1, 0.7);
const tiers = fc.record({
  type: fc.constant('TIERED' as const),
  attempt: amount,
  success: amount,
  verification: amount,
});
/** Policies that each set a price for a call of the tool `t`, and how the call is settled. */
const pricing = fc
  .record({
    defaultChargingPolicy: fc.oneof(
      fc.constantFrom({ type: 'SUCCESS_BASED' as const }, { type: 'ATTEMPT_BASED' as const }),
      tiers,
    ),
    cost: fc.option(amount, { nil: undefined }),
  })
  .map(({ defaultChargingPolicy, cost }) => ({
    defaultChargingPolicy,
    ...(cost === undefined ? {} : { toolPolicies: { t: { cost } } }),
  }));
const pricings = fc.array(pricing, { minLength: 2, maxLength: NAMES.length });
const estimate = fc.constantFrom(
  {},
  ...[0, 20_000, 100_000, 800_000].map((estimatedCostMicros) => ({ estimatedCostMicros })),
);
const outcome = fc
  .record({
    status: fc.constantFrom('success', 'success', 'failure', 'cancelled'),
    ok: fc.constantFrom(true, false, null),
    actualCostMicros: fc.constantFrom(null, 0, 20_000, 50_000, 900_000),
  })
  .map(({ status, ok, actualCostMicros }) => ({
    status,
    ...(ok === null ? {} : { verification: { ok } }),
    ...(actualCostMicros === null ? {} : { actualCostMicros }),
  }));

const asked = (said: object, id = 'x') => ({ event: 'action.requested', action: { id, ...CALL, ...said } });
const reported = (became: object, id = 'x') => ({
  event: 'action.completed',
  outcome: { actionId: id, agentId: CALL.agentId, ...became },
});

function boxUnder(mandate: Mandate): Box {
  const box = deciderInABox([{}]);
  enforce(box, mandate);
  return box;
}

async function tell(box: Box, value: object) {
  const [answer] = await box.answer([box.append(value)]);
  return answer;
}

test('of several policies, the highest reservation is reserved, and the highest charge within the cap is charged', async () => {
  const kinds = new Set<string | undefined>();
  const costUnder = async (mandate: Mandate, said: object, became: object) => {
    const box = boxUnder(mandate);
    const { reservation } = decisionOf(await tell(box, asked(said)));
    const { chargedMicros } = settlementOf(await tell(box, reported(became)));
    kinds.add(reservation?.charging.type);
    return {
      reserved: reservation?.micros ?? 0,
      charged: chargedMicros,
      cap: reservation?.settling.mostMicros,
    };
  };
  await fc.assert(
    fc.asyncProperty(pricings.map(named), estimate, outcome, async (policies, said, became) => {
      const { reserved, charged, cap = null } = await costUnder(composed(policies), said, became);
      const alone = await Promise.all(
        policies.map((policy) => costUnder(composed([{ ...policy, maxActualMicros: cap }]), said, became)),
      );
      expect(reserved).toBe(Math.max(...alone.map((one) => one.reserved)));
      expect(charged).toBe(Math.max(...alone.map((one) => one.charged)));
      expect(cap).toBe(reserved === 0 ? DEFAULTS.actualCostMicros : DEFAULTS.actualCostFactor * reserved);
    }),
    { numRuns: runs(200) },
  );
  expect(kinds).toEqual(new Set(['SUCCESS_BASED', 'ATTEMPT_BASED', 'TIERED', 'COMPOSED']));
});

test('applies the highest cap that a policy states, and limits the default cap by maxCostPerCall', () => {
  const capUnder = (...fields: object[]) =>
    plan({ id: 'x', ...CALL, estimatedCostMicros: 20_000 }, composed(named(fields)), START_MS).settling
      .mostMicros;
  expect(capUnder({}, {})).toBe(200_000);
  expect(capUnder({ maxActualCost: 0.05 }, {})).toBe(50_000);
  expect(capUnder({ maxActualCost: 0.05 }, { maxActualCost: 0.07 })).toBe(70_000);
  expect(capUnder({ maxCostPerCall: 0.1 }, { maxCostPerCall: 5 })).toBe(100_000);
  expect(capUnder({ maxActualCost: 0.5 }, { maxCostPerCall: 0.1 })).toBe(500_000);
});

test('an agent’s own reports give back amounts by the highest price of a policy, or by the estimate if there is no price', () => {
  const givesBack = (...costs: (number | null)[]) => {
    const fields = costs.map((cost) => (cost === null ? {} : { toolPolicies: { t: { cost } } }));
    const action = { id: 'x', ...CALL, estimatedCostMicros: 500_000 };
    return plan(action, composed(named(fields)), START_MS).settling.releases?.micros;
  };
  expect(givesBack(0.01, 0.02)).toBe(200_000);
  expect(givesBack(0.02, null)).toBe(200_000);
  expect(givesBack(null, null)).toBe(5_000_000);
});

test('the price of a call does not depend on which policies set it, or how many', () => {
  fc.assert(
    fc.property(pricings, estimate, fc.infiniteStream(fc.nat()), (fields, said, drawn) => {
      const priceUnder = (some: readonly object[]) => {
        const { reserveMicros, charging } = plan(
          { id: 'x', ...CALL, ...said },
          composed(named(some)),
          START_MS,
        );
        return { reserveMicros, charging };
      };
      const shuffled = [...fields, ...fields]
        .map((field) => ({ field, at: drawn.next().value }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ field }) => field);
      expect(priceUnder(shuffled)).toEqual(priceUnder(fields));
    }),
    { numRuns: runs(200) },
  );
});

test('after the same calls and reports, each policy alone allows what all policies together allow, and has charged no more', async () => {
  const seen = { refused: 0, lessAlone: 0 };
  const bounded = fc
    .record({ priced: pricing, maxCostTotal: fc.constantFrom(0.8, 1, 2, 3) })
    .map(({ priced, maxCostTotal }) => ({ ...priced, maxCostTotal }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(bounded, { minLength: 2, maxLength: NAMES.length }).map(named),
      fc.array(fc.record({ said: estimate, became: outcome }), { minLength: 4, maxLength: 8 }),
      async (policies, calls) => {
        const all = boxUnder(composed(policies));
        const alone = policies.map((policy) => boxUnder(composed([policy])));
        for (const [at, { said, became }] of calls.entries()) {
          const [ask, report] = [asked(said, `c${at}`), reported(became, `c${at}`)];
          if (decisionOf(await tell(all, ask)).verdict !== 'ALLOW') {
            seen.refused += 1;
            continue;
          }
          const { cumulativeMicros } = settlementOf(await tell(all, report));
          for (const box of alone) {
            expect(decisionOf(await tell(box, ask)).verdict).toBe('ALLOW');
            const settled = settlementOf(await tell(box, report));
            expect(settled.cumulativeMicros).toBeLessThanOrEqual(cumulativeMicros);
            if (settled.cumulativeMicros < cumulativeMicros) seen.lessAlone += 1;
          }
        }
      },
    ),
    { numRuns: runs(60) },
  );
  expect(Math.min(seen.refused, seen.lessAlone), 'both came about').toBeGreaterThan(hits(10));
});

test.each([
  [{ type: 'SUCCESS_BASED' }, { type: 'ATTEMPT_BASED' }, { type: 'ATTEMPT_BASED' }],
  [{ type: 'TIERED', attempt: 0.01, success: 0.09 }, { type: 'ATTEMPT_BASED' }, { type: 'ATTEMPT_BASED' }],
  [{ type: 'TIERED', attempt: 0.1, success: 0 }, { type: 'ATTEMPT_BASED' }, { type: 'ATTEMPT_BASED' }],
  [
    { type: 'TIERED', attempt: 0.01, success: 0.02 },
    { type: 'TIERED', attempt: 0, success: 0.05, verification: 0.05 },
    { type: 'TIERED', attemptMicros: 10_000, successMicros: 40_000, verificationMicros: 50_000 },
  ],
  [
    { type: 'TIERED', attempt: 0.07, success: 0.01, verification: 0.01 },
    { type: 'SUCCESS_BASED' },
    {
      type: 'COMPOSED',
      failedMicros: 70_000,
      succeededMicros: 80_000,
      verifiedMicros: 90_000,
      estimateMicros: 100_000,
    },
  ],
])(
  'the charging policies %j and %j settle by one that covers both, if there is one',
  (one, other, charging) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ]) {
      const mandate = composed(named([{ defaultChargingPolicy: first }, { defaultChargingPolicy: second }]));
      const action = { id: 'x', ...CALL, estimatedCostMicros: 100_000 };
      expect(plan(action, mandate, START_MS)).toMatchObject({ reserveMicros: 100_000, charging });
    }
  },
);

test('refuses a call of a model if a policy that limits money does not know its price, even if another policy knows it', () => {
  const tiers = { defaultChargingPolicy: { type: 'TIERED', attempt: 0.01, success: 0.01 } };
  const mandate = composed(named([tiers, { maxCostTotal: 1 }]));
  const call = {
    id: 'x',
    agentId: 'a',
    type: 'llm_call' as const,
    model: 'homegrown',
    inputTokens: 1,
    maxOutputTokens: 1,
  };
  expect(plan(call, mandate, START_MS).refusal).toMatchObject({ code: 'UNPRICED_MODEL' });
  expect(plan(call, composed(named([tiers])), START_MS).refusal).toBeNull();
});

test('a policy that limits money must itself have a price for the model, whatever other policies have', () => {
  const call = { id: 'x', ...CALL, type: 'llm_call' as const, model: 'homegrown', inputTokens: 1_000 };
  const priced = { modelPrices: { homegrown: { inputPerMillion: 3, outputPerMillion: 15 } } };
  const dear = { modelPrices: { homegrown: { inputPerMillion: 30, outputPerMillion: 15 } } };
  const limited = { maxCostTotal: 1 };
  const tokens = { defaultTokens: { maxOutputTokens: 100 } };
  const refused = (...policies: object[]) => plan(call, composed(named(policies)), START_MS).refusal?.code;
  expect(refused({}, limited)).toBe('UNPRICED_MODEL');
  expect(refused(priced, limited)).toBe('UNPRICED_MODEL');
  expect(refused(limited, { ...priced, ...tokens })).toBe('UNPRICED_MODEL');
  expect(refused({ ...limited, ...priced })).toBe('TOKENS_NOT_STATED');
  expect(refused({ ...limited, ...priced }, tokens)).toBe('TOKENS_NOT_STATED');
  expect(refused({ ...limited, ...priced, ...tokens }, {})).toBeUndefined();
  const both = composed(
    named([
      { ...limited, ...priced, ...tokens },
      { ...dear, ...tokens },
    ]),
  );
  expect(plan(call, both, START_MS)).toMatchObject({ refusal: null, reserveMicros: 31_500 });
});
