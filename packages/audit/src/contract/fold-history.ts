/**
 * Plain code that computes the right answers of the audit from the unique records of a history. The code is
 * deliberately slow and obvious.
 */
import { type BudgetAdjusted, type Decision, RELEASED_BUDGET, type Settlement } from '@mandate/schemas';
import { z } from 'zod';
import { type Dimension, type Measures, NOTHING, type SHADOW_FILTERS } from '../index.ts';

/** One delivery of a record. */
export type Delivery<R> = { record: R; void: boolean };

/** The deliveries of each topic, in the order of the log. */
export type Deliveries = {
  decisions: readonly Delivery<Decision>[];
  settlements: readonly Delivery<Settlement>[];
  adjustments: readonly Delivery<BudgetAdjusted>[];
};

export type Filter = {
  agentId?: string[];
  tool?: string[];
  model?: string[];
  type?: Decision['type'][];
  verdict?: Decision['verdict'][];
  code?: Decision['code'][];
  shadow?: (typeof SHADOW_FILTERS)[number][];
  kind?: Decision['kind'][];
  principal?: string[];
  role?: string[];
  mandate?: string[];
  policy?: string[];
  minChargedMicros?: number;
  fromMs?: number;
  toMs?: number;
};

/** Returns the first delivery of each id that is not void, in the order of the log. Only these records count. */
export function standing<R>(deliveries: readonly Delivery<R>[], idOf: (record: R) => string): R[] {
  const byId = new Map<string, R>();
  for (const { record, void: isVoid } of deliveries)
    if (!isVoid && !byId.has(idOf(record))) byId.set(idOf(record), record);
  return [...byId.values()];
}

/**
 * A decision, or the settlement of a decision. `decision` is the settled decision, or null if the history does not
 * contain that decision.
 */
export type Booking = {
  atMs: number;
  agentId: string;
  decision: Decision | null;
  settlement: Settlement | null;
  isDecision: boolean;
  chargedMicros: number;
  settledMicros: number;
};

export function bookingsOf(history: Deliveries, filter: Filter): Booking[] {
  const decisions = standing(history.decisions, ({ id }) => id);
  const allowed = new Map(
    decisions
      .filter(({ verdict, kind }) => verdict === 'ALLOW' && kind !== 'duplicate')
      .map((one) => [attemptOf(one), one]),
  );
  const all: Booking[] = [
    ...decisions.map((decision) => ({
      atMs: Date.parse(decision.decidedAt),
      agentId: decision.agentId,
      decision,
      settlement: null,
      isDecision: true,
      chargedMicros: decision.chargedMicros,
      settledMicros: 0,
    })),
    ...standing(history.settlements, ({ id }) => id)
      .filter(({ kind }) => kind === 'settled')
      .map((settlement) => ({
        atMs: Date.parse(settlement.settledAt),
        agentId: settlement.agentId,
        decision: allowed.get(attemptOf(settlement)) ?? null,
        settlement,
        isDecision: false,
        chargedMicros: 0,
        settledMicros: settlement.deltaMicros,
      })),
  ];
  return all.filter((booking) => matches(booking, filter));
}

/** The key includes the agent, because action ids are unique only per agent. */
function attemptOf({ agentId, actionId, attempt }: Decision | Settlement): string {
  return JSON.stringify([agentId, actionId, attempt]);
}

function matches({ atMs, agentId, decision }: Booking, filter: Filter): boolean {
  const { agentId: agents, fromMs = 0, toMs = Number.POSITIVE_INFINITY, ...rest } = filter;
  if (atMs < fromMs || atMs >= toMs || agents?.includes(agentId) === false) return false;
  const ofDecision = Object.entries(rest).filter(([, value]) => value !== undefined);
  return (
    ofDecision.length === 0 ||
    (decision !== null && ofDecision.every(([name, value]) => has(decision, name, value)))
  );
}

function has(decision: Decision, name: string, wanted: unknown): boolean {
  if (name === 'minChargedMicros') return decision.chargedMicros >= Number(wanted);
  const values: Record<string, readonly (string | null | undefined)[]> = {
    tool: [decision.tool],
    model: [decision.model],
    type: [decision.type],
    verdict: [decision.verdict],
    code: [decision.code],
    shadow: [decision.shadow?.verdict, differs(decision) ? 'differs' : null],
    kind: [decision.kind],
    principal: [decision.action.principal?.id],
    role: [decision.action.principal?.role],
    mandate: [decision.mandate?.id],
    policy: (decision.mandate?.policies ?? []).flatMap((policy) => [policy, policy.split('@')[0]]),
  };
  return (values[name] ?? []).some((value) => z.array(z.unknown()).parse(wanted).includes(value));
}

function differs({ verdict, shadow }: Decision): boolean {
  return shadow !== undefined && shadow.verdict !== 'UNKNOWN' && shadow.verdict !== verdict;
}

/** Returns the values that the booking has in a dimension. */
function valuesOf({ agentId, decision, isDecision }: Booking, dimension: Dimension): string[] {
  switch (dimension) {
    case 'agent':
      return [agentId];
    case 'verdict':
      return [isDecision ? (decision?.verdict ?? '') : 'ALLOW'];
    case 'policy':
      return decision?.mandate?.policies ?? [''];
    case 'tool':
      return [decision?.tool ?? ''];
    case 'model':
      return [decision?.model ?? ''];
    case 'provider':
      return [decision?.provider ?? ''];
    case 'type':
      return [decision?.type ?? ''];
    case 'code':
      return [decision?.code ?? ''];
    case 'observedCode':
      return [decision?.observed?.code ?? ''];
    case 'principal':
      return [decision?.action.principal?.id ?? ''];
    case 'role':
      return [decision?.action.principal?.role ?? ''];
    case 'mandate':
      return [decision?.mandate?.id ?? ''];
  }
}

export type Weighed = { name: string; used: number; most: number };

/** Returns how much of each limit was used after a decision, by `kind/scope/subject/id/windowMs`. */
export function weighedOf({ checks, agentId, chargedMicros, verdict }: Decision): Weighed[] {
  return checks.map(({ check, evidence }) => {
    const seen = z.record(z.string(), z.unknown()).parse(evidence);
    const count = (name: string) => z.int().parse(seen[name]);
    if (check !== 'budget') {
      const used = count('calls') + (verdict === 'ALLOW' ? 1 : 0);
      return { name: `rate//${agentId}//${seen.windowMs}`, used, most: count('maxCalls') };
    }
    const subject = seen.scope === 'agent' ? agentId : '';
    const name = `budget/${seen.scope}/${subject}/${seen.id}/${seen.windowMs}`;
    return { name, used: count('spentMicros') + chargedMicros, most: count('maxMicros') };
  });
}

/** Returns the limits that a decision came close to. Only an ALLOW can come close to a limit. */
export function nearlyMissed(decision: Decision, percent: number): Weighed[] {
  if (decision.verdict !== 'ALLOW') return [];
  return weighedOf(decision).filter(
    ({ used, most }) => most > 0 && BigInt(used) * 100n >= BigInt(most) * BigInt(percent),
  );
}

/** The latency in ms, rounded up to the next of 0, 1, 2, 3, 5, 7, 10, 15, 20, … */
export function latencyOf({ appendedAt, decidedAt }: Decision): number {
  const latencyMs = Date.parse(decidedAt) - Date.parse(appendedAt);
  if (latencyMs <= 0) return 0;
  for (let power = 1; ; power *= 10) {
    const bounds = [1, 1.5, 2, 3, 5, 7].map((step) => step * power).filter(Number.isInteger);
    const bound = bounds.find((most) => latencyMs <= most);
    if (bound !== undefined) return bound;
  }
}

export function measured(bookings: readonly Booking[], nearMissAt: number): Measures {
  if (bookings.length === 0) return NOTHING;
  const made = bookings.flatMap(({ decision, isDecision }) => (decision && isDecision ? [decision] : []));
  const count = (verdict: string) => made.filter((one) => one.verdict === verdict).length;
  const sum = (amount: (booking: Booking) => number) => bookings.reduce((all, one) => all + amount(one), 0);
  const latencies = made.map(latencyOf).sort((a, b) => a - b);
  const rank = (share: number) => latencies[Math.ceil(latencies.length * share) - 1] ?? null;
  return {
    calls: made.length,
    allowed: count('ALLOW'),
    blocked: count('BLOCK'),
    deferred: count('DEFER'),
    nearMisses: made.filter((decision) => nearlyMissed(decision, nearMissAt).length > 0).length,
    chargedMicros: sum(({ chargedMicros }) => chargedMicros),
    settledMicros: sum(({ settledMicros }) => settledMicros),
    spentMicros: sum(({ chargedMicros, settledMicros }) => chargedMicros + settledMicros),
    p50Ms: rank(0.5),
    p90Ms: rank(0.9),
    p99Ms: rank(0.99),
    maxMs: latencies.at(-1) ?? null,
    lastDecidedAt:
      made
        .map(({ decidedAt }) => decidedAt)
        .sort()
        .at(-1) ?? null,
  };
}

export type Keyed = { keys: string[]; booking: Booking };

/**
 * Returns each booking together with its dimension values. A booking with several values of a dimension is returned
 * once for each value.
 */
export function keyed(bookings: readonly Booking[], groupBy: readonly Dimension[]): Keyed[] {
  return bookings.flatMap((booking) =>
    groupBy
      .reduce<string[][]>(
        (all, dimension) =>
          all.flatMap((keys) => valuesOf(booking, dimension).map((value) => [...keys, value])),
        [[]],
      )
      .map((keys) => ({ keys, booking })),
  );
}

/** Compares two lists of texts: first the bytes of the first texts, then of the second texts, and so on. */
export function byKeys(one: readonly string[], other: readonly string[]): number {
  for (const [place, text] of one.entries()) {
    const order = Buffer.compare(Buffer.from(text), Buffer.from(other[place] ?? ''));
    if (order !== 0) return order;
  }
  return 0;
}

/**
 * A change of a budget's counter. `name` is `scope/subject/id/windowMs`. The window of the budget contains the change
 * from `heldFromMs` on.
 */
export type Moved = { name: string; atMs: number; heldFromMs: number; micros: number; isAdjusted: boolean };

/** Returns the adjustments of budgets of money. The audit counts no other units. */
export function moneyAdjusted(history: Deliveries) {
  return standing(history.adjustments, ({ adjustment }) => adjustment.id).flatMap(({ adjustment }) =>
    adjustment.deltaMicros === undefined ? [] : [{ ...adjustment, deltaMicros: adjustment.deltaMicros }],
  );
}

export function budgetMoves(history: Deliveries): Moved[] {
  const decisions = standing(history.decisions, ({ id }) => id);
  const reserving = new Map(
    decisions.filter(({ reservation }) => reservation !== null).map((one) => [attemptOf(one), one]),
  );
  const nameOf = (budget: { scope: string; subject: string; id: string; windowMs: number | null }) =>
    `${budget.scope}/${budget.subject}/${budget.id}/${budget.windowMs}`;
  const moved = (decision: Decision | undefined, at: string, micros: number, excessMicros = 0): Moved[] =>
    (decision?.reservation?.budgets ?? []).map((budget) => ({
      name: nameOf(budget),
      atMs: Date.parse(at),
      heldFromMs: Date.parse(decision?.decidedAt ?? at),
      micros:
        budget.scope === 'agent' && budget.subject === decision?.agentId ? micros + excessMicros : micros,
      isAdjusted: false,
    }));
  const settlements = standing(history.settlements, ({ id }) => id).filter(({ kind }) => kind === 'settled');
  return [
    ...decisions.flatMap((one) => moved(one, one.decidedAt, one.chargedMicros)),
    ...settlements.flatMap((one) =>
      moved(reserving.get(attemptOf(one)), one.settledAt, one.deltaMicros, one.excessMicros),
    ),
    ...settlements
      .filter(({ releasedMicros }) => releasedMicros !== 0)
      .map(({ agentId, settledAt, releasedMicros }) => ({
        name: nameOf({ scope: 'agent', subject: agentId, id: RELEASED_BUDGET, windowMs: null }),
        atMs: Date.parse(settledAt),
        heldFromMs: Date.parse(settledAt),
        micros: releasedMicros,
        isAdjusted: false,
      })),
    ...moneyAdjusted(history).map((adjustment) => ({
      name: nameOf(adjustment.budget),
      atMs: Date.parse(adjustment.at),
      heldFromMs: Date.parse(adjustment.at),
      micros: adjustment.deltaMicros,
      isAdjusted: true,
    })),
  ];
}

export function sumBy<T>(
  items: readonly T[],
  key: (item: T) => string,
  amount: (item: T) => number = () => 1,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const item of items) sums[key(item)] = (sums[key(item)] ?? 0) + amount(item);
  return sums;
}
