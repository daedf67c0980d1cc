/** The counters of a call by number, and the terms of its requests. Most requests of one agent share their terms. */
import type { Limit, RateLimit, StepRequest, TurnLimit } from '@mandate/schemas';
import { type ByUnit, type CounterUnit, mapUnits, unitsIn } from '@mandate/schemas/core';
import {
  type BudgetReference,
  type Chargeable,
  chargedCounters,
  counterOfUnit,
  isBudgetLimit,
  isUnitLimit,
  moneyToCharge,
  releasedOf,
  totalOf,
  turnKey,
  unitLimitsOf,
  unitToCharge,
} from '@mandate/step';
import { counterName, rateName } from '../keys.ts';
import type { CounterRefs } from './fast-path.ts';
import { type Charged, integer } from './field-encoding.ts';
import { LIMIT_KIND, NONE, TURN_COUNT } from './layout.ts';

/** The terms of requests in the format of parts/limits.lua, which describes the first numbers and words. */
type Terms = [
  ...unknown[],
  total: number,
  charges: string,
  charged: number[],
  limits: number[],
  requests: number,
  reserves: number,
  ancestors: readonly string[],
  left: readonly (string | number)[],
  opens: string,
  /** For each unit that the requests reserve, its kind and its counters. 0 if they reserve none. */
  chargedUnits: [kind: number, counters: number[]][] | 0,
];
const [TOTAL, CHARGED, LIMITS, REQUESTS, RESERVES] = [6, 8, 9, 10, 11];

/** Indices count from 1, as in Lua. */
export function createTerms() {
  const agents = new Map<string, number>();
  const lifetimes = new Map<string, number>();
  const windows = new Map<string, number>();
  const rates = new Map<string, number>();
  const turns: TurnWords[] = [];
  const windowsMs: number[] = [];
  const ratesMs: number[] = [];
  const indices = new Map<string, number>();
  const all: Terms[] = [];
  const unitCharges: ByUnit<string>[] = [];

  /** Returns the index of a lifetime counter. For a windowed counter, returns its index as a negative number. */
  function budgetIndex(budget: BudgetReference): number {
    const name = counterName(budget);
    const { windowMs } = budget;
    if (windowMs === null) return indexIn(lifetimes, name);
    const index = indexIn(windows, name);
    windowsMs[index - 1] = integer(windowMs);
    return -index;
  }

  function rateIndex(rate: RateLimit): number {
    const index = indexIn(rates, rateName(rate));
    ratesMs[index - 1] = integer(rate.windowMs);
    return index;
  }

  function encodeLimit(limit: Limit): [kind: number, index: number, most: number] {
    switch (limit.kind) {
      case 'confirmation':
        // A confirmation has no counter. So the array has the lifetime of its question in place of the counter.
        return [LIMIT_KIND.confirmation, integer(limit.questionMs ?? 0), integer(limit.maxWaiting)];
      case 'turn':
        turns.push(turnWords(limit));
        return [LIMIT_KIND.turn, turns.length, limit.maxCalls === null ? NONE : integer(limit.maxCalls)];
      case 'rate':
        return [LIMIT_KIND.rate, rateIndex(limit), integer(limit.maxCalls)];
      case 'tokens':
      case 'toolCalls':
        return [LIMIT_KIND[limit.kind], budgetIndex(counterOfUnit(limit)), integer(limit.most)];
      case 'budget':
        return [
          LIMIT_KIND.budget,
          budgetIndex(limit),
          limit.maxMicros === null ? NONE : integer(limit.maxMicros),
        ];
    }
  }

  const total = (agentId: string): number => budgetIndex(totalOf(agentId));
  const released = (agentId: string): number => budgetIndex(releasedOf(agentId));

  function encode({ agentId, plan }: StepRequest): Terms {
    const { holdsFromMs, holdsUntilMs, leaseMs, observe, refusal } = plan;
    const charged = chargedBy(moneyToCharge(agentId, plan.limits.filter(isBudgetLimit)));
    return [
      holdsFromMs,
      holdsUntilMs ?? NONE,
      integer(leaseMs),
      observe ? 1 : 0,
      refusal?.code ?? '',
      refusal?.final ? 1 : 0,
      total(agentId),
      chargesWord(charged),
      charged.map(({ budget }) => budgetIndex(budget)),
      plan.limits.flatMap(encodeLimit),
      0,
      0,
      plan.ancestors ?? [],
      (plan.formerAncestors ?? []).flatMap(({ id, leftAt }) => [id, leftAt]),
      openingWords(plan),
      plan.units === undefined
        ? 0
        : unitsIn(plan.units).map(([unit]) => [
            LIMIT_KIND[unit],
            unitChargedBy(plan, unit).map(({ budget }) => budgetIndex(budget)),
          ]),
    ];
  }

  return {
    agent: (id: string): number => indexIn(agents, id),
    total,
    released,
    of(request: StepRequest): number {
      const key = keyOf(request);
      const known = indices.get(key);
      if (known !== undefined) return known;
      all.push(encode(request));
      const { plan } = request;
      unitCharges.push(
        plan.units === undefined
          ? {}
          : mapUnits(plan.units, (_, unit) => chargesWord(unitChargedBy(plan, unit))),
      );
      indices.set(key, all.length);
      return all.length;
    },
    /** Returns the counters in each unit that a request with these terms is charged to, as JSON. */
    unitCharges: (index: number): ByUnit<string> => unitCharges[index - 1] ?? {},
    /** Counts one more request with these terms, and adds its reservation to their sum. */
    count(index: number, reserveMicros: number): void {
      const terms = all[index - 1] as unknown[] as number[];
      terms[REQUESTS] = (terms[REQUESTS] ?? 0) + 1;
      terms[RESERVES] = (terms[RESERVES] ?? 0) + reserveMicros;
    },
    counterRefs: (): CounterRefs[] =>
      all.map((terms) => [terms[TOTAL], terms[CHARGED], terms[LIMITS]] as CounterRefs),
    named: (): [lifetimes: number, windows: number] => [lifetimes.size, windows.size],
    all: () => ({
      agents: [...agents.keys()],
      lifetimes: [...lifetimes.keys()],
      windows: [...windows.keys()],
      windowsMs,
      rates: [...rates.keys()],
      ratesMs,
      turns,
      terms: all,
    }),
  };
}

function indexIn(indices: Map<string, number>, name: string): number {
  const known = indices.get(name);
  if (known !== undefined) return known;
  indices.set(name, indices.size + 1);
  return indices.size;
}

/**
 * Returns a key of all values that the terms depend on. No id contains a space. Called for each request, so the code
 * is optimized for speed.
 */
function keyOf({ agentId, plan }: StepRequest): string {
  const { holdsFromMs, holdsUntilMs, leaseMs, observe, refusal } = plan;
  let key = `${agentId} ${holdsFromMs} ${holdsUntilMs} ${leaseMs} ${observe}`;
  if (plan.ancestors !== undefined) key += ` below ${plan.ancestors.join(' ')}`;
  for (const { id, leftAt } of plan.formerAncestors ?? []) key += ` left ${id} ${leftAt}`;
  if (plan.units !== undefined) key += ` in ${Object.keys(plan.units)}`;
  if (plan.opensTurn !== undefined) key += ` opens ${openingWords(plan)}`;
  if (refusal !== null) key += ` ${refusal.code} ${refusal.final}`;
  for (const limit of plan.limits) {
    if (limit.kind === 'budget') {
      const { scope, subject, id, windowMs, maxMicros } = limit;
      key += ` ${scope} ${subject} ${id} ${windowMs} ${maxMicros}`;
    } else if (isUnitLimit(limit)) {
      const { kind, scope, subject, id, windowMs, most } = limit;
      key += ` ${kind} ${scope} ${subject} ${id} ${windowMs} ${most}`;
    } else if (limit.kind === 'rate') {
      const { agentId, tool, windowMs, maxCalls } = limit;
      key += ` ${agentId} ${tool === null ? 'all' : `of ${tool}`} ${windowMs} ${maxCalls}`;
    } else if (limit.kind === 'turn') key += ` turn ${JSON.stringify(limit)}`;
    else key += ` confirmation ${limit.maxWaiting} ${limit.questionMs}`;
  }
  return key;
}

/** A limit of a turn, in the format of parts/turns.lua. `false` means null. */
type TurnWords = [
  fields: string[],
  person: string | false,
  counts: number,
  timeoutMs: number,
  intents: readonly string[] | false,
];

function turnWords({ turnId, agents, person, counts, timeoutMs, intents }: TurnLimit): TurnWords {
  return [
    turnId === null ? [] : agents.map((agentId) => turnKey(agentId, turnId)),
    person ?? false,
    counts === null ? 0 : TURN_COUNT[counts],
    timeoutMs === null ? NONE : integer(timeoutMs),
    intents ?? false,
  ];
}

/** Returns intent and person of the turn that the plan opens. Empty if it opens none. */
function openingWords({ opensTurn }: StepRequest['plan']): string {
  return opensTurn === undefined ? '' : `${opensTurn.intent ?? ''} ${opensTurn.person}`;
}

function chargedBy(chargeable: readonly Chargeable[]) {
  return chargedCounters(chargeable, counterName);
}

function unitChargedBy({ limits }: StepRequest['plan'], unit: CounterUnit) {
  return chargedBy(unitToCharge(unitLimitsOf(limits, unit)));
}

/** Returns the charges of a delivery as the JSON text for Redis. */
function chargesWord(charged: ReturnType<typeof chargedBy>): string {
  const charges = charged.map(
    ({ counter, budget: { windowMs }, most }): Charged => [counter, windowMs ?? false, most ?? false],
  );
  return JSON.stringify(charges);
}
