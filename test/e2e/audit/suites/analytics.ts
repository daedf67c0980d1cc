/**
 * Tests the routes of analytics over HTTP, with the history of query-service.ts. Also tests which requests they
 * refuse.
 */
import { recordDecisions } from '@mandate/audit';
import { TOPICS, wireTime } from '@mandate/schemas';
import { buildReservation } from '@mandate/testing';
import { expect, test } from 'vitest';
import { decided, START_MS } from '../support/log-records.ts';
import type { Scene } from '../support/query-scene.ts';

export function analyticsAnswers({ get, audit, keys: { watcher } }: Scene): void {
  const total = {
    chargedMicros: 4_500_000,
    settledMicros: -60_000,
    spentMicros: 4_440_000,
    spent: '$4.44',
  };

  test('answers spend, in total and by agent', async () => {
    const { body } = await get('/v1/audit/analytics/spend');
    expect(body.total).toMatchObject({ ...total, charged: '$4.50', settled: '-$0.06' });
    expect(body.agents.map(({ agentId }: { agentId: string }) => agentId).sort()).toEqual([
      'agent-0',
      'agent-1',
      'agent-2',
      'agent-3',
    ]);
    const one = await get('/v1/audit/analytics/spend', { agent: 'agent-3', limit: '1' });
    expect(one.body.agents).toEqual([one.body.agents[0]]);
    expect(one.body.total.spentMicros).toBe(one.body.agents[0].spentMicros);
  });

  test('answers counts of verdicts, codes, tools and agents', async () => {
    const verdicts = await get('/v1/audit/analytics/verdicts');
    expect(verdicts.body.verdicts).toEqual([
      { verdict: 'ALLOW', decisions: 45, observed: 0 },
      { verdict: 'BLOCK', decisions: 11, observed: 0 },
    ]);
    const codes = await get('/v1/audit/analytics/codes', { tool: 'drop_admin' });
    expect(codes.body.codes).toEqual([
      { code: 'TOOL_DENIED', verdict: 'BLOCK', observedCode: null, decisions: 10 },
    ]);
    const tools = await get('/v1/audit/analytics/tools', { limit: '1' });
    expect(tools.body.tools).toMatchObject([{ tool: 'get_user', calls: 41, allowed: 40, spent: '$3.94' }]);
    const agents = await get('/v1/audit/analytics/agents', { agent: 'agent-2' });
    expect(agents.body.agents).toMatchObject([
      { agentId: 'agent-2', blocked: 2, lastDecidedAt: wireTime(START_MS + 202) },
    ]);
  });

  const period = { from: wireTime(START_MS - 3_600_000), to: wireTime(START_MS + 3_600_000) };

  test('answers models and principals that have a name, and no others', async () => {
    const models = await get('/v1/audit/analytics/models');
    expect(models.body.models).toMatchObject([{ model: 'claude-x', calls: 5, spent: '$0.50' }]);
    expect((await get('/v1/audit/analytics/principals')).body.principals).toEqual([]);
  });

  test('groups by several dimensions, with a row for the rest and with buckets', async () => {
    const { body } = await get('/v1/audit/analytics', {
      ...period,
      groupBy: ['verdict', 'tool'],
      interval: '1h',
      timeZone: 'Europe/Berlin',
      limit: '1',
    });
    const [allowed, ...more] = body.groups;
    expect([more, body.others.groups]).toEqual([[], 3]);
    expect(allowed).toMatchObject({
      group: { verdict: 'ALLOW', tool: 'get_user' },
      calls: 40,
      spentMicros: 3_940_000,
      spent: '$3.94',
      p99Ms: 0,
      lastDecidedAt: wireTime(START_MS + 39),
    });
    const calls = ({ buckets }: { buckets: { start: string; calls: number }[] }) =>
      buckets.map(({ start, calls }) => [Date.parse(start) - START_MS, calls]);
    expect([calls(allowed), calls(body.others)]).toEqual([
      [
        [-3_600_000, 0],
        [0, 40],
      ],
      [
        [-3_600_000, 0],
        [0, 16],
      ],
    ]);
  });

  test('answers for a period without a start, in any time zone', async () => {
    const first = { from: '1970-01-01', to: '1970-03-01', interval: '1mo', timeZone: 'Asia/Tokyo' };
    const { body } = await get('/v1/audit/analytics', first);
    expect(body.groups[0].buckets.map(({ start }: { start: string }) => start)).toEqual([
      '1969-12-31T15:00:00.000Z',
      '1970-01-31T15:00:00.000Z',
      '1970-02-28T15:00:00.000Z',
    ]);
    const whole = await get('/v1/audit/analytics/movers', { from: '1970-01-01', by: 'calls' });
    expect(whole.body.movers).toMatchObject([{}, {}, {}, {}]);
  });

  test('answers without groups, and with zeros for a tool that does not exist', async () => {
    const { body } = await get('/v1/audit/analytics', { tool: 'no_such_tool', ...period, interval: '6h' });
    expect(body.others).toBeNull();
    expect(body.groups).toMatchObject([{ group: {}, calls: 0, spent: '$0.00', p50Ms: null }]);
    expect(body.groups[0].buckets).toHaveLength(2);
  });

  test.each([
    [{ interval: '1h' }, '`interval` needs `from`', 'from=24h'],
    [
      { interval: '5m', from: '2026-01-01', to: '2026-03-01' },
      'more than 10000 buckets of 5m',
      'longer `interval`',
    ],
    [{ interval: '5m', from: '7d', groupBy: 'agent' }, 'more than 909 buckets of 5m', 'smaller `limit`'],
    [{ timeZone: 'Berlin' }, 'is no time zone', ''],
    [{ timeZone: '+02:00' }, 'is no time zone', ''],
    [{ groupBy: ['tool', 'tool'] }, 'names a dimension twice', ''],
    [{ groupBy: ['tool', 'agent', 'code', 'type'] }, 'groupBy', ''],
    [{ groupBy: 'args' }, 'groupBy', ''],
    [{ orderBy: 'lastDecidedAt' }, 'orderBy', ''],
    [{ nearMissAt: '101' }, 'nearMissAt', ''],
  ])('refuses %o, and says how to correct it', async (query, detail, remedy) => {
    const { status, body } = await get('/v1/audit/analytics', query as Record<string, string | string[]>);
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(body.detail).toContain(detail);
    expect(body.remedy).toContain(remedy);
  });

  test('answers with latencies', async () => {
    const { body } = await get('/v1/audit/analytics/latency');
    expect(body).toMatchObject({ calls: 56, p50Ms: 0, maxMs: 0, histogram: [{ upToMs: 0, calls: 56 }] });
  });

  test('answers what changed since the previous period', async () => {
    const moved = { from: wireTime(START_MS + 20), to: wireTime(START_MS + 40), groupBy: 'tool' };
    const steady = await get('/v1/audit/analytics/movers', { ...moved, by: 'calls' });
    expect(steady.body).toMatchObject({ before: { from: wireTime(START_MS) }, movers: [] });
    const later = { from: wireTime(START_MS + 50), to: wireTime(START_MS + 100), groupBy: 'tool' };
    const { body } = await get('/v1/audit/analytics/movers', later);
    expect(body.movers).toEqual([
      {
        group: { tool: 'get_user' },
        change: 'down',
        before: 4_000_000,
        now: -60_000,
        difference: -4_060_000,
        percent: -101.5,
        beforeDollars: '$4.00',
        nowDollars: '-$0.06',
        differenceDollars: '-$4.06',
      },
    ]);
  });

  test('answers with near-misses and budgets, and the time when a budget will be used up', async () => {
    const { tenant } = watcher.record;
    const checks = [
      {
        check: 'budget',
        result: 'pass',
        evidence: { scope: 'agent', id: 'total', windowMs: null, spentMicros: 800_000, maxMicros: 1_000_000 },
      },
    ] as const;
    const budgets = [
      { kind: 'budget', scope: 'agent', subject: 'fry', id: 'total', windowMs: null, maxMicros: 1_000_000 },
    ] as const;
    const reservation = buildReservation(100_000, { budgets: [...budgets] });
    const record = decided(600, { tenant, agentId: 'fry', checks: [...checks], reservation });
    await recordDecisions(audit(), [
      {
        record: record.decision,
        value: Buffer.from(JSON.stringify(record)),
        position: { topic: TOPICS.decisions, partition: 0, offset: 600 },
        void: false,
        recordedAtMs: START_MS,
        traceId: null,
      },
    ]);
    const missed = await get('/v1/audit/analytics/near-misses', {}, watcher);
    expect(missed.body.nearMisses).toMatchObject([
      {
        agentId: 'fry',
        kind: 'budget',
        scope: 'agent',
        id: 'total',
        nearMisses: 1,
        highestPercent: 90,
        used: 900_000,
      },
    ]);
    expect(
      (await get('/v1/audit/analytics/near-misses', { nearMissAt: '91' }, watcher)).body.nearMisses,
    ).toEqual([]);
    const left = await get('/v1/audit/analytics/budgets', period, watcher);
    const lastsMs = (900_000 / 100_000) * 2 * 3_600_000;
    expect(left.body).toMatchObject({
      period,
      budgets: [
        {
          subject: 'fry',
          budgetId: 'total',
          limit: '$1.00',
          spent: '$0.10',
          left: '$0.90',
          usedPercent: 10,
          burned: '$0.10',
          exhaustedAt: wireTime(Date.parse(left.body.asOf) + lastsMs),
        },
      ],
    });
    const idle = await get('/v1/audit/analytics/budgets', {}, watcher);
    expect(idle.body.budgets).toMatchObject([{ burned: '$0.00', exhaustedAt: null }]);
    const other = await get('/v1/audit/analytics/budgets', { scope: 'tenant' }, watcher);
    expect(other.body.budgets).toEqual([]);
  });
}
