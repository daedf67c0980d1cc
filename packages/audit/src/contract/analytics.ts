/**
 * Tests that every answer of the analytics equals a simple computation over the unique records, for any grouping,
 * buckets and filter. The order of recording, batches and repeats must not change an answer.
 */

import { wireTime } from '@mandate/schemas';
import { byLength } from '@mandate/testing';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import {
  arbitraryHistory,
  decisionOf,
  type History,
  recordedDecision,
  recordedSettlement,
  START_MS,
  settlementOf,
} from '../arbitrary-history.ts';
import {
  type AuditClient,
  analyticsAnswer,
  analytics as analyticsQuestion,
  ask,
  bucketsOf,
  budgets,
  chargesByBudget,
  DIMENSION_NAMES,
  INTERVALS,
  latencies,
  type Measures,
  MOVED_BY,
  movers,
  NEAR_MISS_AT,
  NOTHING,
  nearMisses,
  ORDERS,
  recordDecisions,
  recordSettlements,
  releases,
  timeline,
  tokens,
  usageOfAgent,
} from '../index.ts';
import { arbitraryFilter, arbitraryMoment } from './arbitrary-filter.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';
import { bucketLabels } from './bucket-labels.ts';
import { type Booking, budgetMoves, byKeys, type Filter, measured } from './fold-history.ts';
import {
  budgetsOf,
  groupsOf,
  latenciesOf,
  moversOf,
  nearMissesOf,
  type Release,
  releasesOf,
  type Tokens,
  tokensOf,
  usageOf,
} from './plain-answers.ts';
import { recordShuffled } from './record-shuffled.ts';

const DAY_MS = 86_400_000;

const grouped = fc.record({
  filter: arbitraryFilter,
  groupBy: fc.uniqueArray(fc.constantFrom(...DIMENSION_NAMES), { maxLength: 3 }),
  orderBy: fc.constantFrom(...ORDERS),
  limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(1_000)),
  nearMissAt: fc.constantFrom(NEAR_MISS_AT, 1, 50, 100),
  cut: fc.option(
    fc.record({
      period: fc
        .tuple(arbitraryMoment, arbitraryMoment)
        .map(([a, b]) => ({ fromMs: Math.min(a, b), toMs: Math.max(a, b) })),
      interval: fc.constantFrom(...INTERVALS),
      timeZone: fc.constantFrom(
        'UTC',
        'Europe/Berlin',
        'Asia/Kathmandu',
        'America/New_York',
        'Australia/Lord_Howe',
      ),
    }),
  ),
});
type Grouped = typeof grouped extends fc.Arbitrary<infer T> ? T : never;

const compared = fc.record({
  filter: arbitraryFilter.map(({ fromMs: _, toMs: __, ...filter }) => filter),
  sinceMs: arbitraryMoment,
  lengthMs: fc.integer({ min: 1, max: 3 * DAY_MS }),
  groupBy: fc.uniqueArray(fc.constantFrom(...DIMENSION_NAMES), { minLength: 1, maxLength: 2 }),
  by: fc.constantFrom(...MOVED_BY),
  limit: fc.integer({ min: 1, max: 20 }),
});
type Compared = typeof compared extends fc.Arbitrary<infer T> ? T : never;

export function analytics(make: MakeAudit): void {
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  /** Records decisions that were made at these moments. `tookMs` is the latency of each. */
  async function decidedAt(tenant: string, moments: readonly { atMs: number; tookMs?: number }[]) {
    const decisions = moments.map(({ atMs, tookMs = 0 }, n) =>
      decisionOf(tenant, n, { appendedAtMs: atMs - tookMs, delayMs: tookMs }),
    );
    await recordDecisions(
      audit,
      decisions.map((decision, offset) => recordedDecision(decision, offset)),
    );
    return decisions;
  }

  test('returns the latency at the rank of each percentile', async () => {
    const took = [0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500];
    await decidedAt(
      'ranks',
      took.map((tookMs) => ({ atMs: START_MS, tookMs })),
    );
    expect(await ask(audit, analyticsQuestion, { tenant: 'ranks' })).toMatchObject([
      { calls: 20, p50Ms: 30, p90Ms: 700, p99Ms: 1_500, maxMs: 1_500 },
    ]);
  });

  test('counts each day from midnight to midnight, also after a day of 23 hours', async () => {
    const period = { fromMs: Date.parse('2026-03-28T23:00:00Z'), toMs: Date.parse('2026-04-01T22:00:00Z') };
    const line = timeline(period, '1d', 'Europe/Berlin', 10);
    const starts = line?.starts ?? [];
    expect(starts).toHaveLength(4);
    await decidedAt(
      'short',
      starts.flatMap((startMs, at) => [{ atMs: startMs }, { atMs: (starts[at + 1] ?? period.toMs) - 1 }]),
    );
    const asked = { tenant: 'short', ...period, ...(line && bucketsOf(line)) };
    const answer = analyticsAnswer(await ask(audit, analyticsQuestion, asked), [], line);
    expect(answer.groups[0]?.buckets?.map(({ calls }) => calls)).toEqual([2, 2, 2, 2]);
  });

  test('sorts groups without a latency last', async () => {
    const [settled] = await decidedAt('none', [{ atMs: START_MS, tookMs: 2 }, { atMs: START_MS + 9 }]);
    if (settled === undefined) return;
    const settlement = settlementOf({ ...settled, agentId: 'a-0' }, { settledAt: wireTime(START_MS + 9) });
    await recordSettlements(audit, [recordedSettlement(settlement, 9)]);
    const asked = { tenant: 'none', groupBy: ['agent' as const], orderBy: 'p99Ms' as const, limit: 1 };
    const rows = await ask(audit, analyticsQuestion, asked);
    expect(rows.map(({ keys, p99Ms }) => [keys, p99Ms])).toEqual([
      [['a-1'], 2],
      [[], null],
    ]);
  });

  test('counts a decision at the boundary of two periods in the later period', async () => {
    await decidedAt(
      'moved',
      [-1, 0, 1].map((after) => ({ atMs: START_MS + after })),
    );
    const period = { fromMs: START_MS - 5, sinceMs: START_MS, toMs: START_MS + 5 };
    const asked = { tenant: 'moved', ...period, groupBy: ['tool' as const], by: 'calls' as const };
    expect(await ask(audit, movers, asked)).toEqual([{ keys: ['get_user'], before: 1, now: 2 }]);
  });

  const asked = fc.record({
    cuts: fc.array(fc.integer({ min: 8, max: 40 }), { minLength: 1, maxLength: 4 }),
    groupings: fc.array(grouped, { minLength: 4, maxLength: 4 }),
    comparisons: fc.array(compared, { minLength: 2, maxLength: 2 }),
    filter: arbitraryFilter,
    nearMissAt: fc.constantFrom(50, NEAR_MISS_AT, 100),
    moments: fc.tuple(arbitraryMoment, arbitraryMoment, arbitraryMoment),
  });

  let runs = 0;

  test('returns the same answers as a plain computation', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryHistory(), asked, async (historyOf, asked) => {
        runs += 1;
        const tenant = `t-${runs}`;
        const history = historyOf(tenant);
        await recordShuffled(audit, history, asked.cuts);
        for (const grouping of asked.groupings) await expectGrouped(tenant, history, grouping);
        for (const comparison of asked.comparisons) await expectMovers(tenant, history, comparison);
        await expectLatencies(tenant, history, asked.filter);
        await expectNearMisses(tenant, history, asked.filter, asked.nearMissAt);
        await expectReleases(tenant, history, asked.filter);
        for (const filter of [asked.filter, {}]) await expectTokens(tenant, history, filter);
        await expectBudgets(tenant, history, asked.moments);
        await expectUsage(tenant, history);
      }),
      { numRuns: byLength({ short: 2, full: 6 }) },
    );
  });

  async function expectGrouped(tenant: string, history: History, asked: Grouped): Promise<void> {
    const { groupBy, orderBy, limit, nearMissAt, cut } = asked;
    const filter = { ...asked.filter, ...cut?.period };
    const line = cut && timeline(cut.period, cut.interval, cut.timeZone, 700);
    const rows = await ask(audit, analyticsQuestion, {
      tenant,
      ...filter,
      groupBy,
      orderBy,
      limit,
      nearMissAt,
      ...(line && bucketsOf(line)),
    });
    const answer = analyticsAnswer(rows, groupBy, line);

    const whole = (some: readonly Booking[]) => measured(some, nearMissAt);
    const ordered = groupsOf(history, filter, { groupBy, orderBy, nearMissAt });
    const told = ordered.slice(0, limit);
    const rest = ordered.slice(limit).flatMap(({ own }) => own);

    expect(answer.groups.map(({ group, buckets: _, ...measures }) => ({ group, measures }))).toEqual(
      told.map(({ keys, measures }) => ({
        group: Object.fromEntries(groupBy.map((name, at) => [name, keys[at] === '' ? null : keys[at]])),
        measures,
      })),
    );
    const { buckets: _, ...others } = answer.others ?? {};
    expect(others).toEqual(rest.length === 0 ? {} : { groups: ordered.length - limit, ...whole(rest) });
    if (cut === null || line === null) return;
    const label = bucketLabels(cut);
    const both = [...told.map(({ own }) => own), ...(rest.length === 0 ? [] : [rest])];
    const buckets = [...answer.groups, ...(answer.others === null ? [] : [answer.others])];
    for (const [at, { buckets: own = [] }] of buckets.entries()) {
      expect(own.map(({ startMs }) => startMs)).toEqual(line?.starts);
      const named = own.map(({ startMs, ...measures }) => [label(startMs), measures] as const);
      const folded = [...Map.groupBy(both[at] ?? [], ({ atMs }) => label(atMs))];
      expect(somethingIn(named)).toEqual(somethingIn(folded.map(([name, found]) => [name, whole(found)])));
    }
  }

  async function expectMovers(tenant: string, history: History, asked: Compared): Promise<void> {
    const { filter, sinceMs, lengthMs, groupBy, by, limit } = asked;
    const period = { fromMs: sinceMs - lengthMs, sinceMs, toMs: sinceMs + lengthMs };
    const rows = await ask(audit, movers, { tenant, ...filter, ...period, groupBy, by, limit });
    expect(rows).toEqual(moversOf(history, filter, { ...period, groupBy, by }).slice(0, limit));
  }

  async function expectLatencies(tenant: string, history: History, filter: Filter): Promise<void> {
    const took = await ask(audit, latencies, { tenant, ...filter });
    expect(Object.fromEntries(took.map(({ upToMs, calls }) => [upToMs, calls]))).toEqual(
      latenciesOf(history, filter),
    );
  }

  async function expectNearMisses(
    tenant: string,
    history: History,
    filter: Filter,
    nearMissAt: number,
  ): Promise<void> {
    const rows = await ask(audit, nearMisses, { tenant, ...filter, nearMissAt, limit: 1_000 });
    const said = rows.map(({ agentId, kind, scope, subject, id, windowMs, ...rest }) => ({
      name: `${agentId} ${kind}/${scope ?? ''}/${subject}/${id}/${windowMs}`,
      ...rest,
    }));
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect([...said].sort(byName)).toEqual(nearMissesOf(history, filter, nearMissAt).sort(byName));
    const times = rows.map(({ decidedAt }) => decidedAt);
    expect(times).toEqual([...times].sort().reverse());
  }

  async function expectReleases(tenant: string, history: History, filter: Filter): Promise<void> {
    const rows = await ask(audit, releases, { tenant, ...filter, limit: 1_000 });
    expectRanked<Release>(rows, releasesOf(history, filter), {
      keysOf: ({ agentId, tool, model }) => [agentId, tool ?? '', model ?? ''],
      amountOf: ({ givenBackMicros }) => givenBackMicros,
    });
  }

  async function expectTokens(tenant: string, history: History, filter: Filter): Promise<void> {
    const rows = await ask(audit, tokens, { tenant, ...filter, limit: 1_000 });
    expectRanked<Tokens>(rows, tokensOf(history, filter), {
      keysOf: ({ agentId, provider, model }) => [agentId, provider ?? '', model ?? ''],
      amountOf: ({ chargedMicros }) => chargedMicros,
    });
  }

  async function expectUsage(tenant: string, history: History): Promise<void> {
    const agents = new Set(history.decisions.map(({ record: { agentId } }) => agentId));
    for (const agentId of agents) {
      expect(await ask(audit, usageOfAgent, { tenant, agentId })).toEqual([usageOf(history, agentId)]);
    }
  }

  async function expectBudgets(
    tenant: string,
    history: History,
    [asOfMs, a, b]: readonly [number, number, number],
  ): Promise<void> {
    const [fromMs, toMs] = [Math.min(a, b), Math.max(a, b)];
    const rows = await ask(audit, budgets, { tenant, asOfMs, fromMs, toMs });
    const said = rows.map(({ scope, subject, budgetId, windowMs, ...rest }) => ({
      name: `${scope}/${subject}/${budgetId}/${windowMs}`,
      ...rest,
    }));
    expect(said).toEqual(budgetsOf(history, { asOfMs, fromMs, toMs }));

    // The reconciler compares budgets without a window with the ledger, so their sums must be equal here too.
    const moves = budgetMoves(history);
    const sums = await ask(audit, chargesByBudget, { tenant });
    const moved = said.filter(
      ({ name }) => name.endsWith('/null') && moves.some((move) => move.name === name),
    );
    expect(Object.fromEntries(moved.map(({ name, spentMicros }) => [name, spentMicros]))).toEqual(
      Object.fromEntries(
        sums
          .filter(({ windowMs }) => windowMs === null)
          .map((one) => [`${one.scope}/${one.subject}/${one.budgetId}/null`, one.spentMicros]),
      ),
    );
  }
}

/** Expects these rows in some order, the highest amounts first. */
function expectRanked<Row>(
  rows: readonly Row[],
  expected: readonly Row[],
  { keysOf, amountOf }: { keysOf(row: Row): string[]; amountOf(row: Row): number },
): void {
  const byKey = (some: readonly Row[]) => [...some].sort((a, b) => byKeys(keysOf(a), keysOf(b)));
  expect(byKey(rows)).toEqual(byKey(expected));
  const amounts = rows.map(amountOf);
  expect(amounts).toEqual([...amounts].sort((a, b) => b - a));
}

function somethingIn(buckets: readonly (readonly [string, Measures])[]): Record<string, Measures> {
  return Object.fromEntries(
    buckets.filter(([, measures]) => JSON.stringify(measures) !== JSON.stringify(NOTHING)),
  );
}
