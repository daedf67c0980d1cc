/**
 * Generates random histories. They have few different ids, attempts, keys, payloads, budgets, rates, kills and
 * grants, so conflicts are frequent. They also contain redeliveries, outcomes of every kind, and clocks that run
 * back.
 */
import {
  type CounterUnit,
  type KillTarget,
  type Limit,
  type Plan,
  personCounter,
  type StepRequest,
  type UnitReserve,
} from '@mandate/schemas';
import fc from 'fast-check';
import type { BudgetReference } from '../port.ts';
import { arbitraryTurnHistory } from './arbitrary-turns.ts';
import { DAY_MS } from './bench.ts';
import { budget, isOpenLimit, openLimit, planOf, rate, refusal, unitLimit } from './builders.ts';
import type { Command, History, OperationCommand } from './history-command.ts';

/** The memory is short, so that histories last longer than it. */
export const REPLAY_MEMORY_MS = 400;
export const TENANTS = ['acme', 'umbrella'];
export const AGENTS = ['ann', 'bob'];

/** Picks one of the values. A value that is listed twice is picked more often. */
function one<const Value>(...values: Value[]): fc.Arbitrary<Value> {
  return fc.constantFrom(...values);
}

/** Picks one of the generators by its weight. */
function mix<Value>(...parts: [weight: number, arbitrary: fc.Arbitrary<Value>][]): fc.Arbitrary<Value> {
  return fc.oneof(...parts.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

const tenant = one('acme', 'acme', 'acme', 'umbrella');
const agentId = one('ann', 'ann', 'bob');
const commandId = one('c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8');
const back = one(0, 0, 0, 1, 1, 2, 3, 5, 8);

const budgetReference: fc.Arbitrary<BudgetReference> = fc
  .record({
    scope: one('agent', 'agent', 'tenant', 'principal', 'mandate'),
    subject: one('ann', 'bob'),
    id: one('total', 'team', 'total', 'team', 'released'),
    windowMs: one(null, 50, 1_500, 1_500),
  })
  .map((reference) => (reference.scope === 'tenant' ? { ...reference, subject: '' } : reference));

/** The counters have the same names in every unit and in money, so that a mix-up of the units shows. */
const limitIn = (kind: CounterUnit) =>
  fc
    .record({
      of: budgetReference,
      most: { tokens: one(150, 300, 300, 600, 0), toolCalls: one(1, 3, 3, 8, 0) }[kind],
    })
    .map(({ of, most }) => unitLimit({ ...of, kind, most }));

const reserveIn = (kind: CounterUnit) =>
  fc
    .record({
      reserve: { tokens: one(100, 100, 120, 0), toolCalls: one(1, 1, 1, 0) }[kind],
      charging: one<UnitReserve['settling']['charging']>('SUCCESS_BASED', 'SUCCESS_BASED', 'ATTEMPT_BASED'),
      most: one(Number.MAX_SAFE_INTEGER, { tokens: 150, toolCalls: 2 }[kind]),
      releases: one<UnitReserve['settling']['releases']>(
        null,
        { amount: { tokens: 100, toolCalls: 1 }[kind], percent: 50 },
        { amount: { tokens: 250, toolCalls: 2 }[kind], percent: 20 },
        { amount: 0, percent: 100 },
      ),
    })
    .map(({ reserve, ...settling }): UnitReserve => ({ reserve, settling }));

type InUnits = { limits: Limit[]; units: NonNullable<Plan['units']> };

/** The reservations and limits of an LLM call in these units. */
const callIn = (...units: CounterUnit[]): fc.Arbitrary<InUnits> =>
  fc
    .tuple(
      ...units.map((unit) =>
        fc.record({
          limits: fc.array(limitIn(unit), { minLength: 1, maxLength: 2 }),
          reserve: reserveIn(unit),
        }),
      ),
    )
    .map((drawn) => ({
      limits: drawn.flatMap(({ limits }) => limits),
      units: Object.fromEntries(drawn.map(({ reserve }, at) => [units[at], reserve])),
    }));

const limit = mix<Limit>(
  [
    4,
    fc
      .record({ of: budgetReference, maxMicros: one(null, 0, 30, 60, 80, 100, 200) })
      .map(({ of, maxMicros }) => budget({ ...of, maxMicros })),
  ],
  [
    3,
    fc
      .record({
        agentId: fc.oneof(
          { weight: 3, arbitrary: agentId },
          one(personCounter('u1'), personCounter(undefined)),
        ),
        tool: one(null, null, 'mail'),
        windowMs: one(90, 90, 20),
        maxCalls: one(1, 2, 3, 1, 2, 0),
      })
      .map(rate),
  ],
  [1, fc.record({ maxCalls: one(1, 1, 2, 3, 0) }).map(openLimit)],
  [
    2,
    fc.record(
      { kind: one('confirmation'), maxWaiting: one(1, 2, 2, 3, 10, 0), questionMs: one(50, 1_500, 5_000) },
      { requiredKeys: ['kind', 'maxWaiting'] },
    ),
  ],
);

const settling: fc.Arbitrary<Omit<Plan['settling'], 'open'>> = fc.record(
  {
    leastMicros: one(0, 0, 15, 30),
    ownLeastMicros: one(0, 0, 25, 30),
    mostMicros: one(Number.MAX_SAFE_INTEGER, 60, 60),
    markMicros: one(null, null, 50),
    releases: one(
      null,
      { micros: 30, percent: 50 },
      { micros: 60, percent: 20 },
      { micros: 0, percent: 100 },
    ),
  },
  { noNullPrototype: true },
);

/** The prices make whole and rounded costs of about 30 micro-dollars, and one of them applies to long inputs only. */
const tokenPrices = fc.array(
  fc.record(
    {
      fromInputTokens: one(0, 0, 0, 200),
      inputMicros: one(100_000, 150_001, 0),
      cachedInputMicros: one(10_000, 3),
      cacheWriteMicros: one(125_000, 100_001),
      outputMicros: one(1_000_000, 333_333),
      perCallMicros: one(0, 0, 7),
    },
    { noNullPrototype: true },
  ),
  { maxLength: 2 },
);

const usage = fc.record(
  {
    inputTokens: one(100, 250),
    cachedInputTokens: one(0, 40),
    cacheWriteTokens: one(0, 41),
    outputTokens: one(0, 17, 80),
  },
  { noNullPrototype: true },
);

const plan: fc.Arbitrary<StepRequest['plan']> = fc
  .record({
    limits: fc.array(limit, { maxLength: 3 }),
    charging: one<Plan['charging']>(
      { type: 'SUCCESS_BASED', estimateMicros: 30 },
      { type: 'ATTEMPT_BASED', estimateMicros: 30 },
      { type: 'TIERED', attemptMicros: 5, successMicros: 10, verificationMicros: 15 },
      { type: 'COMPOSED', failedMicros: 5, succeededMicros: 10, verifiedMicros: 25, estimateMicros: 20 },
    ),
    settling,
    prices: mix([1, one(undefined)], [1, tokenPrices]),
    // Over half of the plans reserve nothing in units, as calls of tools.
    inUnits: mix<InUnits | null>(
      [4, one(null)],
      [1, callIn('tokens')],
      [1, callIn('toolCalls')],
      [1, callIn('tokens', 'toolCalls')],
    ),
    reserveMicros: one(30, 30, 30, 30, 0),
    observe: one(false, false, false, true),
    refusal: mix<Plan['refusal']>(
      [8, one(null)],
      [1, one(refusal())],
      [1, one(refusal({ code: 'INTERNAL_ERROR', final: false }))],
    ),
    leaseMs: one(100, 10, 600),
    ancestors: one<readonly string[] | undefined>(undefined, undefined, undefined, ['bob'], ['cleo', 'bob']),
    formerAncestors: one<Plan['formerAncestors']>(undefined, undefined, [{ id: 'cleo', leftAt: 2 }]),
    holds: mix<[number, number | null]>([8, one([0, null])], [1, one([0, 1_200])], [1, one([1_200, null])]),
  })
  .map(
    ({
      holds: [holdsFromMs, holdsUntilMs],
      ancestors,
      formerAncestors,
      limits,
      settling,
      prices,
      inUnits,
      ...rest
    }) =>
      planOf({
        ...rest,
        settling: { ...settling, ...(prices && { tokenPrices: prices }) },
        holdsFromMs,
        holdsUntilMs,
        // Deciders charge every ALLOW to all ancestors. So the plan contains a budget of each ancestor.
        ...(inUnits !== null && { units: inUnits.units }),
        limits: [
          ...(inUnits?.limits ?? []),
          // A mandate in observe mode has no limit on open calls.
          ...limits.filter((limit) => !rest.observe || !isOpenLimit(limit)),
          ...(ancestors ?? []).map((subject) => budget({ subject, maxMicros: null })),
        ],
        ...(ancestors && { ancestors }),
        ...(formerAncestors && !ancestors?.includes('cleo') && { formerAncestors }),
      }),
  );

const outcome = fc
  .record({
    status: one('success', 'failure', 'cancelled'),
    actualMicros: one(null, null, 0, 20, 90),
    verified: one(null, null, true, false),
    mayRelease: one(false, false, true),
    counted: mix([2, one(undefined)], [1, usage]),
    toolCalls: one(undefined, undefined, 0, 2, 3),
  })
  .map(({ counted, toolCalls, ...reported }) => ({
    ...reported,
    ...(counted !== undefined && { usage: counted }),
    ...(toolCalls !== undefined && { toolCalls }),
  }));

const operation = mix<OperationCommand>(
  [
    8,
    fc.record({
      op: one('decide'),
      tenant,
      agentId,
      actionId: fc.nat({ max: 20 }).map((number) => `a${number}`),
      attempt: one(1, 1, 1, 2, 3),
      idempotencyKey: one(null, null, null, 'k1', 'k2'),
      digest: one('d1', 'd1', 'd2'),
      deadlineInMs: mix<number | null>([14, one(null)], [1, one(0)], [1, one(-1)]),
      aheadMs: mix([14, one(0)], [1, one(30)], [1, one(500)]),
      plan: fc.nat({ max: 2 }),
    }),
  ],
  [3, fc.record({ op: one('ask-again'), back, later: one(0, 0, 1, 1, 2) })],
  [4, fc.record({ op: one('report'), back, outcome })],
  [1, fc.record({ op: one('report-unknown'), tenant, outcome })],
  [2, fc.record({ op: one('redeliver'), back })],
);

const passing = one(1, 5, 10, 19, 20, 50, 51, 90, 150, 401, -30);

const target = mix<KillTarget>(
  [3, fc.record({ scope: one('agent'), tenant, agentId })],
  [2, fc.record({ scope: one('subtree'), tenant, agentId: one('ann', 'bob', 'cleo') })],
  [1, fc.record({ scope: one('tenant'), tenant })],
  [1, one({ scope: 'all' })],
);

const command = mix<Command>(
  [14, fc.record({ do: one('step'), operations: fc.array(operation, { minLength: 1, maxLength: 4 }) })],
  [5, fc.record({ do: one('pass'), ms: mix([50, passing], [1, one(DAY_MS)]) })],
  [2, fc.record({ do: one('confirm'), mask: fc.nat({ max: 255 }) })],
  [1, fc.record({ do: one('kill'), target, id: commandId, controlRevision: one(1, 2, 3) })],
  [4, fc.record({ do: one('revive'), target, id: commandId, ahead: one(1, 1, 2, 0, -1) })],
  [
    2,
    fc.record({
      do: one('adjust'),
      adjustment: fc.record({
        id: commandId,
        tenant,
        budget: fc
          .tuple(budgetReference, one<CounterUnit | null>(null, null, 'tokens', 'toolCalls'))
          .map(([of, unit]): BudgetReference => (unit === null ? of : { ...of, unit })),
        delta: one(-40, -40, -90, 25, 70),
      }),
    }),
  ],
  [
    5,
    fc.record({
      do: one('approve'),
      id: commandId,
      back,
      answer: one('granted', 'granted', 'denied'),
      expiresInMs: one(500, 500, 30, 0),
      asks: one(true, false),
    }),
  ],
);

export function arbitraryHistory(maxLength: number): fc.Arbitrary<History> {
  const ofAnyKind = fc.record({
    plans: fc.array(plan, { minLength: 1, maxLength: 3 }),
    commands: fc.array(command, { minLength: 1, maxLength, size: 'max' }),
  });
  return fc.noBias(mix([2, ofAnyKind], [1, arbitraryTurnHistory(maxLength)]));
}
