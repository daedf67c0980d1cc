/** Tests cases that a random history rarely contains: void records, repeated ids, and the edges of periods. */
import type { Decision } from '@mandate/schemas';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  decisionOf,
  onLog,
  recordedDecision,
  recordedSettlement,
  SPAN_MS,
  START_MS,
  settlementOf,
} from '../arbitrary-history.ts';
import {
  type AuditClient,
  analytics,
  ask,
  budgets,
  type ControlEvent,
  chargesByAgent,
  chargesByBudget,
  decisionById,
  decisionsOfAction,
  doubledActions,
  movers,
  recordControlEvents,
  recordDecisions,
  recordSettlements,
  releases,
  searchDecisions,
  searchSettlements,
} from '../index.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';

export function questions(make: MakeAudit): void {
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  type Given = Partial<Decision> & { offset: number; void?: boolean };

  /** Records these decisions in the given order, each in its own insert. */
  async function recorded(tenant: string, decisions: readonly Given[]): Promise<Decision[]> {
    const made: Decision[] = [];
    for (const { offset, void: isVoid = false, ...facts } of decisions) {
      const decision = { ...decisionOf(tenant, offset), ...facts };
      await recordDecisions(audit, [recordedDecision(decision, offset, isVoid)]);
      made.push(decision);
    }
    return made;
  }

  describe('records made void by a newer ledger epoch', () => {
    const id = decisionOf('any', 1).id;
    const stale: Given = { id, offset: 12, void: true, code: 'TOOL_DENIED', verdict: 'BLOCK' };
    const valid: Given = { id, offset: 15, chargedMicros: 7 };
    const repeat: Given = { id, offset: 16, chargedMicros: 7 };

    test.each([
      ['void-1', [stale, valid, repeat]],
      ['void-2', [repeat, valid, stale]],
      ['void-3', [valid, stale, repeat]],
    ])('never hide the first valid record in the order of the log: %s', async (tenant, order) => {
      await recorded(tenant, order);
      const [row, ...others] = await ask(audit, searchDecisions, { tenant });
      expect(row).toMatchObject({ id, verdict: 'ALLOW', chargedMicros: 7, logOffset: 15 });
      expect(others).toEqual([]);
    });

    test('are returned only on request', async () => {
      await recorded('void-4', [stale]);
      expect(await ask(audit, searchDecisions, { tenant: 'void-4' })).toEqual([]);
      expect(await ask(audit, decisionById, { tenant: 'void-4', id })).toEqual([]);
      expect(await ask(audit, decisionsOfAction, { tenant: 'void-4', actionId: 'act-12' })).toEqual([]);
      const [row] = await ask(audit, decisionById, { tenant: 'void-4', id, includeVoid: true });
      expect(row).toMatchObject({ id, void: true });
    });
  });

  describe('the decision that counts for an action', () => {
    async function standing(tenant: string, decisions: readonly Given[]) {
      await recorded(
        tenant,
        decisions.map((decision) => ({ actionId: 'act', ...decision })),
      );
      const rows = await ask(audit, decisionsOfAction, { tenant, actionId: 'act' });
      expect(rows).toHaveLength(decisions.length);
      return rows.filter(({ stands }) => stands).map(({ agentId, logOffset }) => ({ agentId, logOffset }));
    }

    test('is the first decision, not its duplicate', async () => {
      const duplicate: Given = {
        offset: 2,
        attempt: 2,
        kind: 'duplicate',
        code: 'DUPLICATE_ACTION',
        verdict: 'BLOCK',
      };
      expect(await standing('dup', [{ offset: 1 }, duplicate])).toEqual([{ agentId: 'a-1', logOffset: 1 }]);
    });

    test('is the decision of the newest attempt', async () => {
      const soft: Given = { offset: 1, verdict: 'BLOCK', code: 'RATE_LIMIT_EXCEEDED' };
      expect(await standing('attempts', [soft, { offset: 3, attempt: 2 }])).toEqual([
        { agentId: 'a-1', logOffset: 3 },
      ]);
    });

    test('is the decision that followed a deferral', async () => {
      const deferred: Given = { offset: 1, verdict: 'DEFER', code: 'APPROVAL_REQUIRED' };
      expect(await standing('deferred', [deferred, { offset: 4 }])).toEqual([
        { agentId: 'a-1', logOffset: 4 },
      ]);
    });

    test('is the earlier record on the log if there are two first decisions', async () => {
      expect(await standing('two', [{ offset: 9 }, { offset: 8 }])).toEqual([
        { agentId: 'a-1', logOffset: 8 },
      ]);
      expect(await ask(audit, doubledActions, { tenant: 'two' })).toEqual([
        { agentId: 'a-1', actionId: 'act', attempt: 1, firstDecisions: 2 },
      ]);
    });

    test('is returned even if it has many duplicates', async () => {
      const of = { actionId: 'act' };
      await recorded('flood', [
        { ...of, offset: 0, verdict: 'BLOCK', code: 'RATE_LIMIT_EXCEEDED' },
        { ...of, offset: 5_000, attempt: 2 },
        { ...of, offset: 5_001, agentId: 'a-2' },
      ]);
      const duplicates = Array.from({ length: 1_001 }, (_, n) =>
        recordedDecision({ ...decisionOf('flood', n + 1), ...of, kind: 'duplicate' }, n + 1, false),
      );
      await recordDecisions(audit, duplicates);
      const stand = async (asked: { attempt?: number }) => {
        const rows = await ask(audit, decisionsOfAction, { tenant: 'flood', actionId: 'act', ...asked });
        return rows.filter(({ stands }) => stands).map(({ logOffset }) => logOffset);
      };
      expect(await stand({})).toEqual([5_000, 5_001]);
      expect(await stand({ attempt: 1 })).toEqual([0, 5_001]);
      expect(await stand({ attempt: 2 })).toEqual([5_000]);
      expect(await stand({ attempt: 3 })).toEqual([]);
    });

    test('is another one for each agent that uses the same action id', async () => {
      expect(await standing('agents', [{ offset: 1 }, { offset: 2, agentId: 'a-2' }])).toEqual([
        { agentId: 'a-1', logOffset: 1 },
        { agentId: 'a-2', logOffset: 2 },
      ]);
      const own = await ask(audit, decisionsOfAction, { tenant: 'agents', actionId: 'act', agentId: 'a-2' });
      expect(own.map(({ logOffset }) => logOffset)).toEqual([2]);
    });
  });

  test('does not report deferrals and duplicates as double decisions', async () => {
    await recorded('single', [
      { offset: 1, actionId: 'act', verdict: 'DEFER', code: 'APPROVAL_REQUIRED' },
      { offset: 2, actionId: 'act' },
      { offset: 3, actionId: 'act', kind: 'duplicate' },
      { offset: 4, actionId: 'act', attempt: 2 },
    ]);
    expect(await ask(audit, doubledActions, { tenant: 'single' })).toEqual([]);
  });

  test('never returns records of another tenant', async () => {
    await recorded('mine', [{ offset: 1 }]);
    await recorded('yours', [{ offset: 1 }]);
    const { id } = decisionOf('mine', 1);
    expect(await ask(audit, searchDecisions, { tenant: 'mine' })).toHaveLength(1);
    expect(await ask(audit, decisionById, { tenant: 'mine', id })).toHaveLength(1);
    expect(await ask(audit, decisionById, { tenant: 'nobody', id })).toEqual([]);
    expect(await ask(audit, analytics, { tenant: 'nobody' })).toEqual([]);
  });

  test('includes the beginning of a period and excludes its end', async () => {
    const decidedAt = '2026-03-01T00:00:00.500Z';
    const atMs = Date.parse(decidedAt);
    await recorded('edges', [{ offset: 1, decidedAt }]);
    const found = async (fromMs: number, toMs: number) =>
      (await ask(audit, searchDecisions, { tenant: 'edges', fromMs, toMs })).length;
    expect(await found(atMs, atMs + 1)).toBe(1);
    expect(await found(atMs - 1, atMs)).toBe(0);
    expect(await found(atMs + 1, atMs + 2)).toBe(0);
  });

  describe('a search of decisions', () => {
    const mandate = { id: 'support', hash: 'h', rules: ['rule-7'], policies: ['pol_a@3', 'pol_b@1'] };
    const called: Decision['action'] = {
      id: 'x',
      agentId: 'a-1',
      type: 'tool_call',
      tool: 'get_user',
      args: { name: "Zoë O'Hara", ids: [7, 8] },
      parentActionId: 'act-parent',
      principal: { id: 'u-1', role: 'clerk' },
    };
    const modelled: Decision['action'] = {
      id: 'x',
      agentId: 'a-1',
      type: 'llm_call',
      provider: 'anthropic',
      model: 'claude-x',
      inputTokens: 1,
      maxOutputTokens: 1,
    };
    /**
     * Fields of a decision, and a filter that finds this decision. The other decision differs in all these fields.
     */
    const searches: [Partial<Decision>, Omit<z.input<typeof searchDecisions.params>, 'tenant'>][] = [
      [{ verdict: 'BLOCK' }, { verdict: ['BLOCK', 'DEFER'] }],
      [{ code: 'TOOL_DENIED' }, { code: ['TOOL_DENIED'] }],
      [{ observed: { verdict: 'BLOCK', code: 'TOOL_DENIED' } }, { observedCode: ['TOOL_DENIED'] }],
      [{ tool: 'rm' }, { tool: ['rm', 'other'] }],
      [{ type: 'llm_call' }, { type: ['llm_call'] }],
      [{ kind: 'expired' }, { kind: ['expired'] }],
      [{ agentId: 'a-9' }, { agentId: ['a-9', 'a-8'] }],
      [{ actionId: 'act-x' }, { actionId: ['act-x'] }],
      [{ model: 'claude-x' }, { model: ['claude-x'] }],
      [{ action: modelled, provider: 'anthropic' }, { provider: ['anthropic'] }],
      [{ action: called }, { principal: ['u-1'] }],
      [{ action: called }, { role: ['clerk'] }],
      [{ action: called }, { parentActionId: ['act-parent'] }],
      [{ action: called }, { text: "zoë o'hara" }],
      [{ reason: 'The Budget is 100% spent_' }, { text: '100% SPENT_' }],
      [{ mandate }, { mandate: ['support'] }],
      [{ mandate }, { policy: ['pol_b'] }],
      [{ mandate }, { policy: ['pol_a@3', 'pol_c@1'] }],
      [{ mandate }, { rule: ['rule-7'] }],
      [{ events: ['memory_read', 'output'] }, { event: ['memory_write', 'output'] }],
      [{ chargedMicros: 9 }, { maxChargedMicros: 9 }],
      [{ chargedMicros: 100_001 }, { minChargedMicros: 100_001 }],
    ];

    test.each(searches.map(([facts, filter], at) => ({ at, facts, filter })))(
      'filters by $filter',
      async ({ at, facts, filter }) => {
        const tenant = `narrowed-${at}`;
        await recorded(tenant, [{ offset: 1 }, { offset: 2, ...facts }]);
        const rows = await ask(audit, searchDecisions, { tenant, ...filter });
        expect(rows.map(({ logOffset }) => logOffset)).toEqual([2]);
      },
    );

    test('applies all filters together, and matches the whole name of a policy only', async () => {
      await recorded('both', [
        { offset: 1, mandate },
        { offset: 2, mandate, agentId: 'a-2' },
      ]);
      const found = async (filter: object) =>
        (await ask(audit, searchDecisions, { tenant: 'both', ...filter })).map(({ logOffset }) => logOffset);
      expect(await found({ mandate: ['support'], agentId: ['a-2'] })).toEqual([2]);
      expect(await found({ policy: ['pol'] })).toEqual([]);
      expect(await found({ policy: ['pol_a@1'] })).toEqual([]);
      expect(await found({ text: 'x%' })).toEqual([]);
    });

    test('finds the decisions of a trace', async () => {
      const traceId = '0af7651916cd43dd8448eb211c80319c';
      const [decision, other] = [decisionOf('traced', 1), decisionOf('traced', 2)];
      await recordDecisions(audit, [
        { ...recordedDecision(decision, 1), traceId },
        recordedDecision(other, 2),
      ]);
      const rows = await ask(audit, searchDecisions, { tenant: 'traced', traceId: [traceId] });
      expect(rows).toMatchObject([{ id: decision.id, traceId }]);
    });

    test('finds decisions by their payload if they were stored before these columns existed', async () => {
      const decision = { ...decisionOf('older', 1), mandate, action: called, reason: 'as it was' };
      const { record, value } = recordedDecision(decision, 1);
      const written = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
      await audit.command(`INSERT INTO decisions (tenant, id, kind, action_id, attempt, agent_id, verdict, code,
        mandate_id, appended_at, decided_at, log_topic, log_offset, recorded_at, payload) VALUES
        ('older', '${record.id}', 'first', 'x', 1, 'a-1', 'ALLOW', 'ALLOWED', 'support', now64(3), now64(3), 'log', 1,
        now64(3), ${written(new TextDecoder().decode(value))})`);
      const filters = [
        { policy: ['pol_a'] },
        { rule: ['rule-7'] },
        { principal: ['u-1'], role: ['clerk'] },
        { parentActionId: ['act-parent'] },
        { text: "zoë o'hara" },
        { text: 'AS IT WAS' },
      ];
      for (const filter of filters) {
        expect(await ask(audit, searchDecisions, { tenant: 'older', ...filter })).toMatchObject([
          { id: record.id, reason: 'as it was', principalId: 'u-1', policies: mandate.policies },
        ]);
      }
    });
  });

  test('counts both charges but the settlement once if an action id is used again after the replay memory forgot it', async () => {
    await recorded('again', [
      { offset: 1, actionId: 'act' },
      { offset: 2, actionId: 'act' },
    ]);
    const settlement = settlementOf({ ...decisionOf('again', 1), actionId: 'act' });
    await recordSettlements(audit, [recordedSettlement(settlement, 3)]);
    const [tool] = await ask(audit, analytics, { tenant: 'again', groupBy: ['tool'] });
    expect(tool).toMatchObject({ keys: ['get_user'], calls: 2, spentMicros: 190_000 });
    const [budget] = await ask(audit, chargesByBudget, { tenant: 'again' });
    expect(budget).toMatchObject({ chargedMicros: 200_000, settledMicros: -10_000 });
  });

  describe('the questions of the reconciler', () => {
    test('count charges, settlements and each adjustment of a budget once', async () => {
      const budget = { scope: 'agent', subject: 'a-1', id: 'total', windowMs: null } as const;
      const adjusted = (id: string, deltaMicros: number): ControlEvent => ({
        event: 'budget.adjusted',
        adjustment: {
          id,
          by: 'ops',
          reason: 'r',
          at: '2026-02-01T00:00:00.000Z',
          tenant: 'budget',
          budget,
          deltaMicros,
          spentMicros: 0,
          ledgerEpoch: 'e',
          ledgerSequence: 1,
        },
      });
      const at = (record: ControlEvent, partition: number, isVoid = false) => ({
        record,
        ...onLog(record, 5, isVoid),
        position: { topic: 'log', partition, offset: 5 },
      });
      await recorded('budget', [
        { offset: 1, chargedMicros: 500 },
        { offset: 2, chargedMicros: 70 },
      ]);
      await recordControlEvents(audit, [
        at(adjusted('adj-1', -30), 0),
        at(adjusted('adj-1', -30), 1),
        at(adjusted('adj-2', -1_000), 0, true),
        at(adjusted('adj-3', 9), 0),
      ]);
      expect(await ask(audit, chargesByBudget, { tenant: 'budget' })).toEqual([
        {
          scope: 'agent',
          subject: 'a-1',
          budgetId: 'total',
          windowMs: null,
          chargedMicros: 570,
          settledMicros: 0,
          adjustedMicros: -21,
          spentMicros: 549,
        },
      ]);
    });

    test('return a long list of agents in pages', async () => {
      await recorded(
        'many',
        ['a-3', 'a-1', 'a-2'].map((agentId, offset) => ({ offset, agentId })),
      );
      const page = async (after?: string) => {
        const rows = await ask(audit, chargesByAgent, { tenant: 'many', limit: 2, ...(after && { after }) });
        return rows.map(({ agentId }) => agentId);
      };
      expect(await page()).toEqual(['a-1', 'a-2']);
      expect(await page('a-2')).toEqual(['a-3']);
    });
  });

  test('returns the largest exact integer for a larger sum, in every question', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const decisions = await recorded(
      'rich',
      [1, 2].map((offset) => ({ offset, chargedMicros: most })),
    );
    const settlements = decisions.map((decision, at) =>
      recordedSettlement(
        settlementOf(decision, { id: `stl-${at}`, deltaMicros: 0, chargedMicros: most, excessMicros: most }),
        9 + at,
      ),
    );
    await recordSettlements(audit, settlements);
    const tenant = 'rich';
    const period = { fromMs: 0, sinceMs: START_MS, toMs: START_MS + SPAN_MS };
    const moved = { ...period, groupBy: ['agent' as const], by: 'spend' as const };
    const { sinceMs: _, ...burned } = { ...period, asOfMs: period.toMs };
    expect(await ask(audit, analytics, { tenant })).toMatchObject([{ spentMicros: most }]);
    expect(await ask(audit, movers, { tenant, ...moved })).toMatchObject([{ before: 0, now: most }]);
    expect(await ask(audit, budgets, { tenant, ...burned })).toMatchObject([
      { spentMicros: most, burnedMicros: most },
    ]);
    expect(await ask(audit, chargesByAgent, { tenant })).toMatchObject([{ spentMicros: most }]);
    expect(await ask(audit, chargesByBudget, { tenant })).toMatchObject([
      { chargedMicros: most, settledMicros: most, spentMicros: most },
    ]);
    expect(await ask(audit, releases, { tenant })).toMatchObject([
      { reservedMicros: most, givenBackMicros: 0, excessMicros: most },
    ]);
  });

  test('finds settlements by any of their codes, and returns the excess, the released amount and the reporting key', async () => {
    const [decision] = await recorded('marked', [{ offset: 1 }]);
    if (decision === undefined) throw new Error('nothing was decided');
    const given = {
      code: 'EXCESS_QUARANTINED',
      marks: ['EXCESS_QUARANTINED', 'OVERDRAWN'],
      excessMicros: 7,
      releasedMicros: -3,
      reportedBy: { keyId: 'key-1', mayRelease: true },
    } as const;
    const settlement = settlementOf(decision, { ...given, marks: [...given.marks] });
    await recordSettlements(audit, [recordedSettlement(settlement, 3)]);
    for (const code of ['EXCESS_QUARANTINED', 'OVERDRAWN']) {
      expect(await ask(audit, searchSettlements, { tenant: 'marked', code: [code] })).toMatchObject([
        { ...given, reportedBy: 'key-1', mayRelease: true },
      ]);
    }
    expect(await ask(audit, searchSettlements, { tenant: 'marked', code: ['SETTLED'] })).toEqual([]);
  });

  test.each([
    { tenant: '' },
    { tenant: 'x', limit: 0 },
    { tenant: 'x', limit: 1_001 },
    { tenant: 'x', fromMs: 0.5 },
  ])('rejects a question with %o before it reaches ClickHouse', async (params) => {
    await expect(ask(audit, searchDecisions, params)).rejects.toMatchObject({
      code: 'AUDIT_QUESTION_INVALID',
    });
  });

  test('reads the rows of a page by their ids in the primary index', async () => {
    await recordDecisions(audit, [recordedDecision(decisionOf('indexed', 1), 1)]);
    const { params, sql } = searchDecisions;
    const asked = params.parse({ tenant: 'indexed', before: 'dec_1', limit: 10 });
    const explained = await audit.query(
      `EXPLAIN indexes = 1 ${sql(asked)}`,
      { tenant: 'indexed', before: 'dec_1', limit: 10 },
      z.object({ explain: z.string() }),
    );
    const plan = explained.map(({ explain }) => explain).join('\n');
    expect(plan).toMatch(/\(id in \d+-element set\)/);
  });

  test('fills a page correctly if only repeats of other rows match the filter', async () => {
    const traced = (index: number, traces: readonly string[]) =>
      traces.map((traceId, repeat) => ({
        ...recordedDecision(decisionOf('crowded', index), index * 10 + repeat),
        traceId: traceId.repeat(32),
      }));
    const rare = ['a'];
    // Eight newer decisions. Only their repeats match the filter.
    const others = Array.from({ length: 8 }, (_, index) => traced(3 + index, ['b', 'a', 'a']));
    await recordDecisions(audit, [traced(1, rare), traced(2, rare)].flat());
    // Each repeat goes into its own batch, because an insert merges repeats within one batch.
    for (const repeat of [0, 1, 2])
      await recordDecisions(
        audit,
        others.flatMap((repeats) => repeats[repeat] ?? []),
      );
    const ids = async (limit: number, before?: string) => {
      const asked = { tenant: 'crowded', traceId: ['a'.repeat(32)], limit, ...(before && { before }) };
      return (await ask(audit, searchDecisions, asked)).map(({ id }) => id);
    };
    const [second, first] = [2, 1].map((index) => decisionOf('crowded', index).id);
    expect(await ids(1)).toEqual([second]);
    expect(await ids(1, second)).toEqual([first]);
    expect(await ids(2)).toEqual([second, first]);
    expect(await ids(100)).toEqual([second, first]);
  });
}
