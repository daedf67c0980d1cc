/** Plain code that computes the right answer to each analytics question, from the bookings of a history. */
import type { Decision, Settlement } from '@mandate/schemas';
import { type Dimension, type Measures, type MOVED_BY, NOTHING, type ORDERS } from '../index.ts';
import {
  type Booking,
  bookingsOf,
  budgetMoves,
  byKeys,
  type Deliveries,
  type Filter,
  keyed,
  latencyOf,
  measured,
  moneyAdjusted,
  nearlyMissed,
  standing,
  sumBy,
  weighedOf,
} from './fold-history.ts';

export type Group = { keys: string[]; own: Booking[]; measures: Measures };

/** Returns every group, in descending order of `orderBy`. Without grouping there is one group. */
export function groupsOf(
  history: Deliveries,
  filter: Filter,
  asked: { groupBy: readonly Dimension[]; orderBy: (typeof ORDERS)[number]; nearMissAt: number },
): Group[] {
  const { groupBy, orderBy, nearMissAt } = asked;
  const groups = Map.groupBy(keyed(bookingsOf(history, filter), groupBy), ({ keys }) => JSON.stringify(keys));
  if (groupBy.length === 0 && groups.size === 0) return [{ keys: [], own: [], measures: NOTHING }];
  return [...groups]
    .map(([keys, found]) => {
      const own = found.map(({ booking }) => booking);
      return { keys: JSON.parse(keys) as string[], own, measures: measured(own, nearMissAt) };
    })
    .sort((a, b) => descending(a.measures[orderBy], b.measures[orderBy]) || byKeys(a.keys, b.keys));
}

/**
 * Returns the groups with a changed amount, the largest change first. A group has its amount before `sinceMs` and its
 * amount since then.
 */
export function moversOf(
  history: Deliveries,
  filter: Filter,
  asked: {
    fromMs: number;
    sinceMs: number;
    toMs: number;
    groupBy: readonly Dimension[];
    by: (typeof MOVED_BY)[number];
  },
): { keys: string[]; before: number; now: number }[] {
  const { fromMs, sinceMs, toMs, groupBy, by } = asked;
  const amountOf = ({ isDecision, decision, chargedMicros, settledMicros }: Booking) => {
    if (by === 'spend') return chargedMicros + settledMicros;
    return isDecision && (by === 'calls' || decision?.verdict === 'BLOCK') ? 1 : 0;
  };
  const sums = (period: { fromMs: number; toMs: number }) =>
    sumBy(
      keyed(bookingsOf(history, { ...filter, ...period }), groupBy),
      ({ keys }) => JSON.stringify(keys),
      ({ booking }) => amountOf(booking),
    );
  const before = sums({ fromMs, toMs: sinceMs });
  const now = sums({ fromMs: sinceMs, toMs });
  return [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .map((keys) => ({ keys: JSON.parse(keys), before: before[keys] ?? 0, now: now[keys] ?? 0 }))
    .filter((one) => one.now !== one.before)
    .sort((a, b) => Math.abs(b.now - b.before) - Math.abs(a.now - a.before) || byKeys(a.keys, b.keys));
}

/** Returns the number of decisions for each latency bound. */
export function latenciesOf(history: Deliveries, filter: Filter): Record<string, number> {
  return sumBy(decisionsOf(history, filter), (decision) => String(latencyOf(decision)));
}

export type Release = {
  agentId: string;
  tool: string | null;
  model: string | null;
  outcomes: number;
  failed: number;
  cancelled: number;
  reservedMicros: number;
  givenBackMicros: number;
  givenBackPercent: number | null;
  ownMicros: number;
  refused: number;
  excesses: number;
  excessMicros: number;
  lastSettledAt: string;
};

/** Returns the releases, in no particular order. */
export function releasesOf(history: Deliveries, filter: Filter): Release[] {
  const settled = bookingsOf(history, filter).flatMap(({ decision, settlement }) =>
    decision === null || settlement === null ? [] : [{ decision, settlement }],
  );
  const groups = Map.groupBy(settled, ({ decision: { agentId, tool, model } }) =>
    JSON.stringify([agentId, tool, model]),
  );
  return [...groups].map(([key, own]) => {
    const [agentId, tool, model] = JSON.parse(key);
    const sum = (amount: (one: (typeof own)[number]) => number) =>
      own.reduce((sum, one) => sum + amount(one), 0);
    const count = (is: (settlement: Settlement) => boolean) =>
      own.filter(({ settlement }) => is(settlement)).length;
    const reservedMicros = sum(({ decision }) => decision.chargedMicros);
    const failed = ({ status, verified }: Settlement) =>
      status === 'failure' || (status === 'success' && verified === false);
    const cancelled = ({ status }: Settlement) => status === 'cancelled';
    const givenBackMicros = sum(({ settlement }) =>
      failed(settlement) || cancelled(settlement) ? Math.max(0, -settlement.deltaMicros) : 0,
    );
    return {
      ...{ agentId, tool, model },
      outcomes: own.length,
      failed: count(failed),
      cancelled: count(cancelled),
      reservedMicros,
      givenBackMicros,
      givenBackPercent:
        reservedMicros === 0 ? null : Number((BigInt(givenBackMicros) * 100n) / BigInt(reservedMicros)),
      ownMicros: sum(({ settlement }) => Math.max(0, settlement.releasedMicros)),
      refused: count(({ marks }) => marks.includes('RELEASE_REFUSED')),
      excesses: count(({ excessMicros }) => excessMicros > 0),
      excessMicros: sum(({ settlement }) => settlement.excessMicros),
      lastSettledAt: lastSettledAt(own),
    };
  });
}

/** The times of one history have one form, so their texts sort like the times. */
function lastSettledAt(some: readonly { settlement: Settlement }[]): string {
  const times = some.map(({ settlement }) => settlement.settledAt);
  return times.sort().at(-1) ?? '';
}

export type Tokens = {
  agentId: string;
  provider: string | null;
  model: string | null;
  outcomes: number;
  unpriced: number;
  inputTokens: number;
  cachedInputTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  reasoningTokens: number;
  usageMicros: number;
  chargedMicros: number;
  lastSettledAt: string;
};

/** Returns the tokens by agent and model, in no particular order. */
export function tokensOf(history: Deliveries, filter: Filter): Tokens[] {
  const reported = bookingsOf(history, filter).flatMap(({ decision, settlement }) =>
    settlement?.usage === undefined ? [] : [{ decision, settlement, usage: settlement.usage }],
  );
  const groups = Map.groupBy(reported, ({ decision, settlement: { agentId } }) =>
    JSON.stringify([agentId, decision?.provider ?? null, decision?.model ?? null]),
  );
  return [...groups].map(([key, own]) => {
    const [agentId, provider, model] = JSON.parse(key);
    const sum = (amount: (one: (typeof own)[number]) => number) =>
      own.reduce((all, one) => all + amount(one), 0);
    return {
      ...{ agentId, provider, model },
      outcomes: own.length,
      unpriced: own.filter(({ settlement }) => settlement.usageMicros === undefined).length,
      inputTokens: sum(({ usage }) => usage.inputTokens),
      cachedInputTokens: sum(({ usage }) => usage.cachedInputTokens ?? 0),
      cacheWriteTokens: sum(({ usage }) => usage.cacheWriteTokens ?? 0),
      outputTokens: sum(({ usage }) => usage.outputTokens),
      reasoningTokens: sum(({ usage }) => usage.reasoningTokens ?? 0),
      usageMicros: sum(({ settlement }) => settlement.usageMicros ?? 0),
      chargedMicros: sum(({ settlement }) => settlement.chargedMicros + settlement.excessMicros),
      lastSettledAt: lastSettledAt(own),
    };
  });
}

/** Returns the usage of an agent in its lifetime. */
export function usageOf(history: Deliveries, agentId: string) {
  const bookings = bookingsOf(history, { agentId: [agentId] }).filter(
    ({ decision }) => decision?.verdict === 'ALLOW' && decision.kind === 'first',
  );
  const sum = (isOfLlm: boolean) =>
    bookings
      .filter(({ decision }) => (decision?.type === 'llm_call') === isOfLlm)
      .reduce(
        (all, one) => all + one.chargedMicros + one.settledMicros + (one.settlement?.excessMicros ?? 0),
        0,
      );
  const adjusted = moneyAdjusted(history)
    .filter(({ budget }) => budget.scope === 'agent' && budget.subject === agentId)
    .reduce((all, { deltaMicros }) => all + deltaMicros, 0);
  return {
    calls: bookings.filter(({ isDecision }) => isDecision).length,
    ...{ llmMicros: sum(true), toolMicros: sum(false), adjustedMicros: adjusted },
  };
}

export type NearMiss = {
  /** The id of the agent, and the name of the limit as in `weighedOf`. */
  name: string;
  nearMisses: number;
  highestPercent: number;
  /** How much of the limit was used after the latest near miss, and the decision that caused this near miss. */
  used: number;
  most: number;
  decisionId: string;
  decidedAt: string;
};

/** Returns the near misses, in no particular order. */
export function nearMissesOf(history: Deliveries, filter: Filter, nearMissAt: number): NearMiss[] {
  const missed = decisionsOf(history, filter).flatMap((decision) =>
    nearlyMissed(decision, nearMissAt).map((limit) => ({ ...limit, decision })),
  );
  const percent = ({ used, most }: { used: number; most: number }) =>
    Number((BigInt(used) * 100n) / BigInt(most));
  return [...Map.groupBy(missed, ({ name, decision }) => `${decision.agentId} ${name}`)].map(
    ([name, own]) => {
      const latest = own.reduce((a, b) => (isLater(a.decision, b.decision) ? a : b));
      return {
        name,
        nearMisses: own.length,
        highestPercent: Math.max(...own.map(percent)),
        used: latest.used,
        most: latest.most,
        decisionId: latest.decision.id,
        decidedAt: latest.decision.decidedAt,
      };
    },
  );
}

/** Compares by ledger sequence, because ids have no order within a millisecond. */
function isLater(one: Decision, other: Decision): boolean {
  if (one.decidedAt !== other.decidedAt) return one.decidedAt > other.decidedAt;
  return one.ledgerSequence > other.ledgerSequence;
}

export type Budget = {
  /** The name of the budget: `scope/subject/id/windowMs`. */
  name: string;
  limitMicros: number | null;
  limitSeenAt: string | null;
  spentMicros: number;
  burnedMicros: number;
};

/** Returns the budgets, the fullest first. */
export function budgetsOf(
  history: Deliveries,
  { asOfMs, fromMs, toMs }: { asOfMs: number; fromMs: number; toMs: number },
): Budget[] {
  const moves = budgetMoves(history);
  const seen = standing(history.decisions, ({ id }) => id)
    .sort((one, other) => byKeys([one.decidedAt, one.id], [other.decidedAt, other.id]))
    .flatMap((decision) => weighedOf(decision).map((limit) => ({ ...limit, decision })))
    .filter(({ name }) => name.startsWith('budget/'))
    .map(({ name, ...rest }) => ({ ...rest, name: name.slice('budget/'.length) }));
  const names = new Set([...moves, ...seen].map(({ name }) => name));
  const budgets = [...names].map((name): Budget => {
    const windowMs = name.endsWith('/null') ? Number.POSITIVE_INFINITY : Number(name.split('/').at(-1));
    const own = moves.filter((move) => move.name === name);
    const sum = (some: typeof own) => some.reduce((all, { micros }) => all + micros, 0);
    const last = seen.findLast((limit) => limit.name === name);
    return {
      name,
      limitMicros: last?.most ?? null,
      limitSeenAt: last?.decision.decidedAt ?? null,
      spentMicros: sum(own.filter(({ heldFromMs }) => heldFromMs > asOfMs - windowMs)),
      burnedMicros: sum(own.filter(({ atMs, isAdjusted }) => !isAdjusted && atMs >= fromMs && atMs < toMs)),
    };
  });
  const share = ({ limitMicros, spentMicros }: Budget) => {
    if (limitMicros === null) return null;
    return limitMicros === 0 ? 1 : spentMicros / limitMicros;
  };
  return budgets.sort(
    (one, other) =>
      descending(share(one), share(other)) || byKeys(one.name.split('/'), other.name.split('/')),
  );
}

function decisionsOf(history: Deliveries, filter: Filter): Decision[] {
  return bookingsOf(history, filter).flatMap(({ decision, isDecision }) =>
    decision && isDecision ? [decision] : [],
  );
}

/** Compares two numbers for a descending sort. Null comes last. */
function descending(one: number | null, other: number | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return other - one;
}
