/**
 * Computes the answers that the analytics routes must give for a history, in a second way. The time of the request is
 * left out.
 */
import type { Dimension } from '@mandate/audit';
import {
  type Booking,
  bucketLabels,
  budgetsOf,
  type Deliveries,
  type Filter,
  groupsOf,
  latenciesOf,
  measured,
  moversOf,
  nearMissesOf,
} from '@mandate/audit/contract';
import { formatMicros, VERDICTS, wireTime } from '@mandate/schemas';

const NEAR_MISS_AT = 90;
const END_OF_TIME_MS = Date.UTC(2262, 0, 1) - 1;

type Measures = ReturnType<typeof measured>;
type Cut = Parameters<typeof bucketLabels>[0];

/** Adds a field in dollars for each amount in micro-dollars. */
function priced(row: Record<string, unknown>): Record<string, unknown> {
  const dollars = Object.entries(row).flatMap(([name, micros]) =>
    name.endsWith('Micros') && typeof micros === 'number'
      ? [[name.replace(/Micros$/, ''), formatMicros(micros)] as const]
      : [],
  );
  return { ...row, ...Object.fromEntries(dollars) };
}

function named(groupBy: readonly Dimension[], keys: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(groupBy.map((name, at) => [name, keys[at] || null]));
}

/**
 * Returns the groups with their buckets, keyed by the label of their start. Empty buckets are left out, because only
 * some answers list them.
 */
export function groupedBody(
  history: Deliveries,
  filter: Filter,
  asked: {
    groupBy: readonly Dimension[];
    orderBy: Parameters<typeof groupsOf>[2]['orderBy'];
    limit: number;
    nearMissAt: number;
    cut: Cut | null;
  },
) {
  const { groupBy, limit, nearMissAt, cut } = asked;
  const ordered = groupsOf(history, filter, asked);
  const rest = ordered.slice(limit);
  const told = (own: readonly Booking[]) => ({
    ...priced(measured(own, nearMissAt)),
    ...(cut !== null && { buckets: bucketsOf(own, cut, nearMissAt) }),
  });
  return {
    groups: ordered.slice(0, limit).map(({ keys, own }) => ({ group: named(groupBy, keys), ...told(own) })),
    others: rest.length === 0 ? null : { groups: rest.length, ...told(rest.flatMap(({ own }) => own)) },
  };
}

function bucketsOf(own: readonly Booking[], cut: Cut, nearMissAt: number) {
  const label = bucketLabels(cut);
  const cells = [...Map.groupBy(own, ({ atMs }) => label(atMs))].map(
    ([name, found]) => [name, measured(found, nearMissAt)] as const,
  );
  return Object.fromEntries(
    cells.filter(([, cell]) => isSomething(cell)).map(([name, cell]) => [name, priced(cell)]),
  );
}

/** True if the bucket is not empty. */
export function isSomething(bucket: Pick<Measures, 'calls' | 'settledMicros'>): boolean {
  return bucket.calls > 0 || bucket.settledMicros !== 0;
}

const spent = ({ chargedMicros, settledMicros, spentMicros }: Measures) =>
  priced({ chargedMicros, settledMicros, spentMicros });

export function spendBody(history: Deliveries, filter: Filter, limit: number) {
  const ordered = groupsOf(history, filter, {
    groupBy: ['agent'],
    orderBy: 'spentMicros',
    nearMissAt: NEAR_MISS_AT,
  });
  return {
    total: spent(
      measured(
        ordered.flatMap(({ own }) => own),
        NEAR_MISS_AT,
      ),
    ),
    agents: ordered.slice(0, limit).map(({ keys: [agentId], measures }) => ({ agentId, ...spent(measures) })),
  };
}

/** Returns groups of decisions, each with the number of its decisions. The largest group comes first. */
function fallen(history: Deliveries, filter: Filter, groupBy: readonly Dimension[]) {
  return groupsOf(history, filter, { groupBy, orderBy: 'calls', nearMissAt: NEAR_MISS_AT })
    .filter(({ measures }) => measures.calls > 0)
    .map(({ keys, measures }) => ({ group: named(groupBy, keys), calls: measures.calls }));
}

export function verdictsBody(history: Deliveries, filter: Filter) {
  const all = fallen(history, filter, ['verdict', 'observedCode']);
  const sum = (some: typeof all) => some.reduce((sum, { calls }) => sum + calls, 0);
  const verdicts = VERDICTS.map((verdict) => {
    const own = all.filter(({ group }) => group.verdict === verdict);
    const observed = own.filter(({ group }) => group.observedCode !== null);
    return { verdict, decisions: sum(own), observed: sum(observed) };
  });
  return {
    verdicts: verdicts
      .filter(({ decisions }) => decisions > 0)
      .sort((one, other) => other.decisions - one.decisions),
  };
}

export function codesBody(history: Deliveries, filter: Filter) {
  const all = fallen(history, filter, ['code', 'verdict', 'observedCode']);
  return { codes: all.map(({ group, calls }) => ({ ...group, decisions: calls })) };
}

/** Returns the groups of one dimension. A group without a name is left out. */
export function rankingBody(
  history: Deliveries,
  filter: Filter,
  { name, of, field, limit }: { name: string; of: Dimension; field: string; limit: number },
) {
  const ordered = groupsOf(history, filter, { groupBy: [of], orderBy: 'calls', nearMissAt: NEAR_MISS_AT });
  const rows = ordered
    .filter(({ keys: [value] }) => value !== '')
    .slice(0, limit)
    .map(
      ({ keys: [value], measures: { calls, allowed, blocked, deferred, spentMicros, lastDecidedAt } }) => ({
        [field]: value,
        calls,
        allowed,
        blocked,
        deferred,
        ...priced({ spentMicros }),
        ...(name === 'agents' && { lastDecidedAt }),
      }),
    );
  return { [name]: rows };
}

export function latencyBody(history: Deliveries, filter: Filter) {
  const [whole] = groupsOf(history, filter, { groupBy: [], orderBy: 'calls', nearMissAt: NEAR_MISS_AT });
  const histogram = Object.entries(latenciesOf(history, filter))
    .map(([upToMs, calls]) => ({ upToMs: Number(upToMs), calls }))
    .sort((one, other) => one.upToMs - other.upToMs);
  const { calls, p50Ms, p90Ms, p99Ms, maxMs } = whole?.measures ?? measured([], NEAR_MISS_AT);
  return { calls, p50Ms, p90Ms, p99Ms, maxMs, histogram };
}

/**
 * Returns near-misses by the name of the limit. One decision can be near several limits, so the order of the answer
 * is not fixed.
 */
export function nearMissesByName(history: Deliveries, filter: Filter, nearMissAt: number) {
  return Object.fromEntries(
    nearMissesOf(history, filter, nearMissAt).map(({ name, ...rest }) => [name, rest]),
  );
}

export function moversBody(
  history: Deliveries,
  filter: Filter,
  asked: Parameters<typeof moversOf>[2] & { limit: number },
) {
  const { fromMs, sinceMs, toMs, groupBy, by, limit } = asked;
  const movers = moversOf(history, filter, asked).slice(0, limit);
  return {
    before: { from: wireTime(fromMs), to: wireTime(sinceMs) },
    now: { from: wireTime(sinceMs), to: wireTime(toMs) },
    movers: movers.map(({ keys, before, now }) => {
      const difference = now - before;
      const change = difference > 0 ? 'up' : 'down';
      return {
        group: named(groupBy, keys),
        change: before === 0 ? 'new' : now === 0 ? 'gone' : change,
        before,
        now,
        difference,
        percent: before > 0 ? Math.round((difference / before) * 1_000) / 10 : null,
        ...(by === 'spend' && {
          beforeDollars: formatMicros(before),
          nowDollars: formatMicros(now),
          differenceDollars: formatMicros(difference),
        }),
      };
    }),
  };
}

export function budgetsBody(history: Deliveries, asked: Parameters<typeof budgetsOf>[1] & { limit: number }) {
  const { asOfMs, fromMs, toMs, limit } = asked;
  const rows = budgetsOf(history, asked).slice(0, limit);
  return {
    period: { from: wireTime(fromMs), to: wireTime(toMs) },
    budgets: rows.map(({ name, ...row }) => {
      const [scope, subject, budgetId, window] = name.split('/');
      const windowMs = window === 'null' ? null : Number(window);
      const budget = { scope, subject, budgetId, windowMs, ...row };
      const { limitMicros, spentMicros } = row;
      if (limitMicros === null)
        return priced({ ...budget, leftMicros: null, usedPercent: null, exhaustedAt: null });
      const usedPercent = limitMicros === 0 ? 100 : Math.floor((spentMicros / limitMicros) * 1_000) / 10;
      const leftMicros = limitMicros - spentMicros;
      const atMs = exhaustedAtMs({
        ...row,
        limitMicros,
        leftMicros,
        windowMs,
        asOfMs,
        periodMs: toMs - fromMs,
      });
      const exhaustedAt = atMs === null || atMs > END_OF_TIME_MS ? null : wireTime(atMs);
      return priced({ ...budget, leftMicros, usedPercent, exhaustedAt });
    }),
  };
}

function exhaustedAtMs(budget: {
  limitMicros: number;
  leftMicros: number;
  burnedMicros: number;
  windowMs: number | null;
  asOfMs: number;
  periodMs: number;
}): number | null {
  const { limitMicros, leftMicros, burnedMicros, windowMs, asOfMs, periodMs } = budget;
  if (leftMicros <= 0) return asOfMs;
  if (burnedMicros <= 0) return null;
  const heldByWindow = windowMs === null ? Number.POSITIVE_INFINITY : (burnedMicros / periodMs) * windowMs;
  return heldByWindow <= limitMicros ? (windowMs === null ? atRate() : null) : atRate();

  function atRate(): number {
    return asOfMs + Math.ceil((leftMicros / burnedMicros) * periodMs);
  }
}
