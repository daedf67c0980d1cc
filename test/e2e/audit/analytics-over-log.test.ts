/**
 * Compares the audit's analytics over HTTP with the log. Records may be recorded several times, and recorders stop or
 * die at any point. Every answer must equal a plain recomputation over the records on the log.
 */
import { DIMENSION_NAMES, INTERVALS, MOVED_BY, ORDERS, refreshRollups } from '@mandate/audit';
import {
  arbitraryFilter,
  arbitraryMoment,
  bucketLabels,
  type Deliveries,
  type Filter,
} from '@mandate/audit/contract';
import { wireTime } from '@mandate/schemas';
import { type HttpServer, issueApiKey, memoryKeyStore } from '@mandate/server';
import { byLength } from '@mandate/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arbitraryLog, TENANTS } from './support/arbitrary-log.ts';
import {
  budgetsBody,
  codesBody,
  groupedBody,
  isSomething,
  latencyBody,
  moversBody,
  nearMissesByName,
  rankingBody,
  spendBody,
  verdictsBody,
} from './support/expected-analytics.ts';
import { historyOnLog } from './support/history-on-log.ts';
import { appendAll, arbitraryLife, catchUp, live } from './support/lives-of-recorders.ts';
import { queryServer } from './support/query-server.ts';
import { openRecording } from './support/recording.ts';

const DAY_MS = 86_400_000;

const filter = arbitraryFilter.map(({ fromMs, toMs, ...filter }): Filter => {
  if (fromMs === undefined || toMs === undefined || fromMs <= toMs)
    return { ...filter, ...(fromMs !== undefined && { fromMs }), ...(toMs !== undefined && { toMs }) };
  return { ...filter, fromMs: toMs, toMs: fromMs };
});
const limit = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(1_000));
const groupBy = fc.uniqueArray(fc.constantFrom(...DIMENSION_NAMES), { maxLength: 3 });
const nearMissAt = fc.constantFrom(90, 1, 50, 100);
const period = fc.tuple(arbitraryMoment, arbitraryMoment).map(([a, b]) => ({
  fromMs: Math.min(a, b),
  toMs: Math.max(a, b) + 1,
}));
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/New_York', 'Australia/Lord_Howe'];

const grouped = fc.record({
  filter,
  groupBy,
  orderBy: fc.constantFrom(...ORDERS),
  limit: fc.integer({ min: 1, max: 4 }),
  nearMissAt,
  cut: fc.option(
    fc.record({ period, interval: fc.constantFrom(...INTERVALS), timeZone: fc.constantFrom(...ZONES) }),
  ),
});
/** Asks the same questions again without filter and buckets. These answers contain all groups. */
const whole = grouped.map((asked) => ({ ...asked, filter: {}, cut: null }));
const often = fc.oneof(fc.constant<Filter>({}), filter);
const moved = fc.record({
  filter: often,
  sinceMs: arbitraryMoment,
  lengthMs: fc.integer({ min: 1, max: 3 * DAY_MS }),
  groupBy: fc.uniqueArray(fc.constantFrom(...DIMENSION_NAMES), { minLength: 1, maxLength: 2 }),
  by: fc.constantFrom(...MOVED_BY),
  limit,
});
const asked = fc.record({
  tenant: fc.constantFrom(TENANTS[0], TENANTS[0], TENANTS[1]),
  grouped: fc.tuple(whole, grouped),
  moved,
  filter: often,
  limit,
  nearMissAt,
  burned: period,
  asOfMs: arbitraryMoment,
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

const round = fc.record({
  lives: fc.array(arbitraryLife, { minLength: 1, maxLength: 2 }),
  refreshed: fc.boolean(),
  asked,
});

const keys = new Map(
  TENANTS.map((tenant) => [
    tenant,
    issueApiKey({ tenant, scopes: ['audit'], agents: ['*'], name: 'auditor' }),
  ]),
);

test('every answer equals a plain recomputation over the log, wherever recorders stop and die', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryLog, fc.tuple(round, round), async (log, rounds) => {
      const recording = await openRecording();
      const { audit, bus } = recording;
      let nowMs = 0;
      const records = memoryKeyStore([...keys.values()].map(({ record }) => record));
      const server = await queryServer(audit, records, { clock: () => nowMs });
      try {
        const ahead = [...log];
        let lives = 0;
        for (const [at, { lives: planned, refreshed, asked }] of rounds.entries()) {
          for (const life of planned) {
            lives += 1;
            await live(recording, ahead, life, lives);
          }
          if (at === rounds.length - 1) await appendAll(recording, ahead);
          lives += 1;
          await catchUp(recording, lives);
          if (refreshed) await refreshRollups(audit, { quietMs: 0 });
          nowMs = asked.asOfMs;
          await expectAnswers(server, await historyOnLog(bus, asked.tenant), asked);
        }
      } finally {
        await server.close();
        await recording.close();
      }
    }),
    // A failure is reported with its seed, without a search for a smaller example, because each run takes a second or
    // more.
    { numRuns: byLength({ short: 1, full: 4 }), endOnFailure: true },
  );
});

async function expectAnswers(server: HttpServer, history: Deliveries, asked: Asked): Promise<void> {
  const asOf = wireTime(asked.asOfMs);
  // biome-ignore lint/suspicious/noExplicitAny: it is compared as a whole
  async function get(path: string, query: Record<string, string | string[]> = {}): Promise<any> {
    const headers = { 'x-api-key': keys.get(asked.tenant)?.key ?? '' };
    const answer = await server.inject({ url: `/v1/audit/analytics${path}`, query, headers });
    expect(answer.statusCode, answer.payload).toBe(200);
    const { asOf: said, ...body } = answer.json();
    expect(said).toBe(asOf);
    return body;
  }

  for (const { filter: narrowed, cut, groupBy, orderBy, limit, nearMissAt } of asked.grouped) {
    const filter = { ...narrowed, ...cut?.period };
    const { groups, others } = await get('', {
      ...queryOf(filter),
      groupBy,
      orderBy,
      limit: String(limit),
      nearMissAt: String(nearMissAt),
      ...(cut && { interval: cut.interval, timeZone: cut.timeZone }),
    });
    const told = cut
      ? { groups: groups.map(byLabel(cut)), others: others && byLabel(cut)(others) }
      : { groups, others };
    expect(told).toEqual(groupedBody(history, filter, { groupBy, orderBy, limit, nearMissAt, cut }));
  }

  const { filter, limit, nearMissAt } = asked;
  const narrowed = queryOf(filter);
  const ranked = { ...narrowed, limit: String(limit) };
  expect(await get('/spend', ranked)).toEqual(spendBody(history, filter, limit));
  expect(await get('/verdicts', narrowed)).toEqual(verdictsBody(history, filter));
  expect(await get('/codes', narrowed)).toEqual(codesBody(history, filter));
  for (const [name, of, field] of [
    ['agents', 'agent', 'agentId'],
    ['tools', 'tool', 'tool'],
    ['models', 'model', 'model'],
    ['principals', 'principal', 'principal'],
  ] as const)
    expect(await get(`/${name}`, ranked)).toEqual(rankingBody(history, filter, { name, of, field, limit }));
  expect(await get('/latency', narrowed)).toEqual(latencyBody(history, filter));

  const { nearMisses } = await get('/near-misses', {
    ...narrowed,
    nearMissAt: String(nearMissAt),
    limit: '1000',
  });
  const missed = nearMisses.map(
    // biome-ignore lint/suspicious/noExplicitAny: it is compared as a whole
    ({ agentId, kind, scope, subject, id, windowMs, ...rest }: any) =>
      [`${agentId} ${kind}/${scope ?? ''}/${subject}/${id}/${windowMs}`, rest] as const,
  );
  expect(Object.fromEntries(missed)).toEqual(nearMissesByName(history, filter, nearMissAt));
  const times = nearMisses.map(({ decidedAt }: { decidedAt: string }) => decidedAt);
  expect(times).toEqual([...times].sort().reverse());

  const { sinceMs, lengthMs, groupBy, by } = asked.moved;
  const compared = { fromMs: sinceMs - lengthMs, sinceMs, toMs: sinceMs + lengthMs, groupBy, by };
  const { fromMs: _, toMs: __, ...whoever } = asked.moved.filter;
  const from = { from: wireTime(sinceMs), to: wireTime(compared.toMs), limit: String(asked.moved.limit) };
  expect(await get('/movers', { ...queryOf(whoever), ...from, groupBy, by })).toEqual(
    moversBody(history, whoever, { ...compared, limit: asked.moved.limit }),
  );

  const { asOfMs, burned } = asked;
  expect(
    await get('/budgets', { from: wireTime(burned.fromMs), to: wireTime(burned.toMs), limit: String(limit) }),
  ).toEqual(budgetsBody(history, { asOfMs, ...burned, limit }));
}

function queryOf({
  agentId,
  fromMs,
  toMs,
  minChargedMicros,
  ...same
}: Filter): Record<string, string | string[]> {
  return {
    ...same,
    ...(agentId && { agent: agentId }),
    ...(fromMs !== undefined && { from: wireTime(fromMs) }),
    ...(toMs !== undefined && { to: wireTime(toMs) }),
    ...(minChargedMicros !== undefined && { minChargedMicros: String(minChargedMicros) }),
  };
}

/**
 * Returns a function for groups. It puts the buckets into an object, by the label of their start, and drops empty
 * buckets.
 */
function byLabel(cut: Parameters<typeof bucketLabels>[0]) {
  const label = bucketLabels(cut);
  type Bucket = { start: string; calls: number; settledMicros: number };
  return ({ buckets, ...told }: { buckets: Bucket[] }) => ({
    ...told,
    buckets: Object.fromEntries(
      buckets.filter(isSomething).map(({ start, ...measures }) => [label(Date.parse(start)), measures]),
    ),
  });
}
