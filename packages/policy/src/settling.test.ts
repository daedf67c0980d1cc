import { DEFAULTS, type Settling } from '@mandate/schemas';
import { expect, test } from 'vitest';
import { callsUnder } from './checks/calls.fixture.ts';
import { settlingOf } from './settling.ts';

const cost = (dollars: number) => ({ toolPolicies: { pay: { cost: dollars } } });
const releases = (count: number, percent: number) => ({ maxReleases: { calls: count, percent } });

type Reserved = { reserveMicros?: number; policyMicros?: number; inputMicros?: number };

test.each<[string, object[], Reserved, Partial<Settling>]>([
  ['a success costs at least the highest price', [cost(0.02), cost(0.01)], {}, { leastMicros: 20_000 }],
  [
    'a price is also the least charge for an own report',
    [{ ...cost(0.01), defaultEstimate: 0.5 }],
    {},
    { leastMicros: 10_000, ownLeastMicros: 10_000 },
  ],
  [
    'a default estimate is the least charge for an own report only',
    [{ defaultEstimate: 0.5 }, {}],
    {},
    { leastMicros: 0, ownLeastMicros: 500_000 },
  ],
  [
    'the stated input of a model call is the least charge for an own report',
    [{}],
    { inputMicros: 700 },
    { ownLeastMicros: 700 },
  ],
  ['the default cap is a dollar if nothing is reserved', [{}], {}, { mostMicros: DEFAULTS.actualCostMicros }],
  ['the default cap is ten times the reservation', [{}], { reserveMicros: 1_000 }, { mostMicros: 10_000 }],
  [
    'maxCostPerCall limits the default cap',
    [{ maxCostPerCall: 0.005 }, {}],
    { reserveMicros: 1_000 },
    { mostMicros: 5_000, markMicros: 5_000 },
  ],
  [
    'maxCostPerCall limits the default cap also if nothing is reserved',
    [{ maxCostPerCall: 0.005 }],
    {},
    { mostMicros: 5_000 },
  ],
  [
    'maxCostPerCall limits no cap if all policies are in observe mode',
    [{ maxCostPerCall: 0.005, mode: 'observe' }],
    { reserveMicros: 1_000 },
    { mostMicros: 10_000, markMicros: 5_000 },
  ],
  [
    'the highest cap that a policy states replaces the default',
    [{ maxActualCost: 0.03 }, { maxActualCost: 0.02, maxCostPerCall: 0.001 }],
    { reserveMicros: 1_000 },
    { mostMicros: 30_000 },
  ],
  [
    'the fewest calls and the lowest percentage limit what own reports release',
    [releases(3, 50), releases(2, 60), { maxReleases: 'unlimited' }],
    { reserveMicros: 100_000 },
    { releases: { micros: 200_000, percent: 50 } },
  ],
  [
    'the limit on releases depends on the price, and not on an estimate above it',
    [releases(2, 0)],
    { reserveMicros: 500_000, policyMicros: 10_000 },
    { releases: { micros: 20_000, percent: 0 } },
  ],
  ['policies may lift the limit on releases', [{ maxReleases: 'unlimited' }], {}, { releases: null }],
])('%s', (_, policies, { reserveMicros = 0, policyMicros = 0, inputMicros = 0 }, expected) => {
  const settling = settlingOf(policies.map((fields) => callsUnder(fields)));
  expect(settling({ reserveMicros, policyMicros }, inputMicros)).toMatchObject(expected);
});

test('a prompt costs nothing, unless it reserves something or a policy states a cap', () => {
  const capUnder = (fields: object, reserveMicros = 0) =>
    settlingOf([callsUnder(fields, 'prompt')])({ reserveMicros, policyMicros: 0 }, 0).mostMicros;
  expect(capUnder({})).toBe(0);
  expect(capUnder({ maxCostPerCall: 0.005 })).toBe(0);
  expect(capUnder({ maxActualCost: 0.03 })).toBe(30_000);
  expect(capUnder({}, 1_000)).toBe(10_000);
});

test('does not carry over the limits of one call to the next call', () => {
  const settling = settlingOf([callsUnder(releases(2, 0))]);
  const bounds = [
    settling({ reserveMicros: 1_000, policyMicros: 0 }, 0),
    settling({ reserveMicros: 1_000, policyMicros: 500 }, 0),
    settling({ reserveMicros: 1_000, policyMicros: 500 }, 7),
    settling({ reserveMicros: 2_000, policyMicros: 500 }, 7),
  ];
  expect(
    bounds.map(({ mostMicros, ownLeastMicros, releases: given }) => [
      mostMicros,
      ownLeastMicros,
      given?.micros,
    ]),
  ).toEqual([
    [10_000, 0, 2_000],
    [10_000, 0, 1_000],
    [10_000, 7, 1_000],
    [20_000, 7, 1_000],
  ]);
});
