/**
 * No doubled row in any answer: whatever the order, the batches and the repeats in which a history was recorded, and
 * by however many recorders at once, each question answers what a plain fold over the unique records answers.
 */
import type { Decision, Settlement } from '@mandate/schemas';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { arbitraryHistory, type History } from '../arbitrary-history.ts';
import {
  type AuditClient,
  agents,
  ask,
  chargesByAgent,
  chargesByBudget,
  codes,
  doubledActions,
  type Recorded,
  recordDecisions,
  recordSettlements,
  searchDecisions,
  spendByAgent,
  spendInAll,
  tools,
  verdicts,
} from '../index.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';

export function answers(make: MakeAudit): void {
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  /** What counts of a history: of each record its first delivery that is not void, in the order of the log. */
  function standing<R extends { id: string }>(deliveries: readonly Recorded<R>[]): R[] {
    const byId = new Map<string, R>();
    for (const { record, void: isVoid } of deliveries)
      if (!isVoid && !byId.has(record.id)) byId.set(record.id, record);
    return [...byId.values()];
  }

  function sumBy<T>(
    items: readonly T[],
    key: (item: T) => string,
    amount: (item: T) => number,
  ): Record<string, number> {
    const sums: Record<string, number> = {};
    for (const item of items) sums[key(item)] = (sums[key(item)] ?? 0) + amount(item);
    return sums;
  }

  type Filter = { agentId?: string; tool?: string; fromMs?: number; toMs?: number };

  function folded(history: History, filter: Filter) {
    const all = standing(history.decisions);
    const toolOf = new Map(all.map((decision) => [decision.actionId, decision.tool]));
    const within = (at: string) =>
      Date.parse(at) >= (filter.fromMs ?? 0) && Date.parse(at) < (filter.toMs ?? Number.POSITIVE_INFINITY);
    const decisions = all.filter(
      (one) =>
        within(one.decidedAt) &&
        (filter.agentId === undefined || one.agentId === filter.agentId) &&
        (filter.tool === undefined || one.tool === filter.tool),
    );
    const settlements = standing(history.settlements).filter(
      (one) =>
        one.kind === 'settled' &&
        within(one.settledAt) &&
        (filter.agentId === undefined || one.agentId === filter.agentId) &&
        (filter.tool === undefined || toolOf.get(one.actionId) === filter.tool),
    );
    return { decisions, settlements, toolOf };
  }

  type Booked = { key: string; micros: number };
  function booked(
    decisions: readonly Decision[],
    settlements: readonly Settlement[],
    keyOf: (record: Decision | Settlement) => string,
  ): Record<string, number> {
    const bookings: Booked[] = [
      ...decisions.map((one) => ({ key: keyOf(one), micros: one.chargedMicros })),
      ...settlements.map((one) => ({ key: keyOf(one), micros: one.deltaMicros })),
    ];
    return sumBy(
      bookings,
      ({ key }) => key,
      ({ micros }) => micros,
    );
  }

  let runs = 0;
  const START_MS = Date.UTC(2026, 0, 30);
  const filters = fc.record(
    {
      agentId: fc.constantFrom('a-1', "o'brien\\"),
      tool: fc.constantFrom('get_user', 'send_certificate'),
      fromMs: fc.integer({ min: START_MS, max: START_MS + 2 * 86_400_000 }),
      toMs: fc.integer({ min: START_MS + 86_400_000, max: START_MS + 5 * 86_400_000 }),
    },
    { requiredKeys: [] },
  );

  /** The history cut into batches, each given once or twice, in any order, several at a time. */
  async function recordShuffled(history: History, cuts: readonly number[]): Promise<void> {
    const work: (() => Promise<unknown>)[] = [];
    const cut = <R>(all: readonly R[], give: (batch: readonly R[]) => Promise<unknown>) => {
      for (let start = 0, turn = 0; start < all.length; turn += 1) {
        const size = cuts[turn % cuts.length] ?? 1;
        const batch = all.slice(start, start + size);
        for (let times = 1 + (size % 2); times > 0; times -= 1) work.push(() => give(batch));
        start += size;
      }
    };
    cut(history.settlements, (batch) => recordSettlements(audit, batch));
    cut(history.decisions, (batch) => recordDecisions(audit, batch));
    work.sort(() => (cuts[0] ?? 1) - 9);
    while (work.length > 0) await Promise.all(work.splice(0, cuts[0] ?? 1).map((give) => give()));
  }

  test('every answer equals a fold over the unique records', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryHistory(),
        fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 4 }),
        filters,
        async (historyOf, cuts, filter) => {
          runs += 1;
          const tenant = `t-${runs}`;
          const history = historyOf(tenant);
          await recordShuffled(history, cuts);
          const { decisions, settlements, toolOf } = folded(history, filter);
          const asked = { tenant, ...filter };

          const spend = await ask(audit, spendByAgent, asked);
          const byAgent = booked(decisions, settlements, ({ agentId }) => agentId);
          expect(Object.fromEntries(spend.map((row) => [row.agentId, row.spentMicros]))).toEqual(byAgent);
          expect(spend.map((row) => row.spentMicros)).toEqual(Object.values(byAgent).sort((a, b) => b - a));
          expect(await ask(audit, spendInAll, asked)).toEqual([
            {
              chargedMicros: decisions.reduce((sum, one) => sum + one.chargedMicros, 0),
              settledMicros: settlements.reduce((sum, one) => sum + one.deltaMicros, 0),
              spentMicros: Object.values(byAgent).reduce((sum, micros) => sum + micros, 0),
            },
          ]);

          const fell = await ask(audit, verdicts, asked);
          expect(Object.fromEntries(fell.map((row) => [row.verdict, row.decisions]))).toEqual(
            sumBy(
              decisions,
              ({ verdict }) => verdict,
              () => 1,
            ),
          );
          const why = await ask(audit, codes, asked);
          expect(
            Object.fromEntries(why.map((row) => [`${row.code}/${row.observedCode}`, row.decisions])),
          ).toEqual(
            sumBy(
              decisions,
              ({ code, observed }) => `${code}/${observed?.code ?? null}`,
              () => 1,
            ),
          );

          const used = await ask(audit, tools, asked);
          const spentByTool = booked(decisions, settlements, (one) => toolOf.get(one.actionId) ?? '');
          const { '': _, ...ofTools } = spentByTool;
          expect(Object.fromEntries(used.map((row) => [row.tool, row.spentMicros]))).toEqual(ofTools);

          for (const row of await ask(audit, agents, asked)) {
            const own = decisions.filter(({ agentId }) => agentId === row.agentId);
            const count = (verdict: string) => own.filter((one) => one.verdict === verdict).length;
            expect(row).toEqual({
              agentId: row.agentId,
              calls: own.length,
              allowed: count('ALLOW'),
              blocked: count('BLOCK'),
              deferred: count('DEFER'),
              spentMicros: byAgent[row.agentId],
              lastDecidedAt:
                own
                  .map(({ decidedAt }) => decidedAt)
                  .sort()
                  .at(-1) ?? null,
            });
          }

          const newestFirst = decisions.map(({ id }) => id).sort((a, b) => (a < b ? 1 : -1));
          expect(await pages(asked, cuts[0] ?? 1)).toEqual(newestFirst);
          await expectReconciliation(tenant, history);
        },
      ),
      { numRuns: 30 },
    );
  });

  async function pages(asked: Filter & { tenant: string }, limit: number): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const before = ids.at(-1);
      const { agentId, tool, ...rest } = asked;
      const page = await ask(audit, searchDecisions, {
        ...rest,
        ...(agentId === undefined ? {} : { agentId: [agentId] }),
        ...(tool === undefined ? {} : { tool: [tool] }),
        limit,
        ...(before === undefined ? {} : { before }),
      });
      ids.push(...page.map(({ id }) => id));
      if (page.length < limit) return ids;
    }
  }

  async function everyBudget(tenant: string) {
    const limit = 2;
    const rows: z.output<typeof chargesByBudget.row>[] = [];
    for (;;) {
      const last = rows.at(-1);
      const after = last && {
        afterScope: last.scope,
        afterSubject: last.subject,
        afterBudgetId: last.budgetId,
        afterWindowMs: last.windowMs ?? 0,
      };
      const page = await ask(audit, chargesByBudget, { tenant, limit, ...after });
      rows.push(...page);
      if (page.length < limit) return rows;
    }
  }

  async function expectReconciliation(tenant: string, history: History): Promise<void> {
    const { decisions, settlements } = folded(history, {});
    const byAgent = await ask(audit, chargesByAgent, { tenant });
    expect(Object.fromEntries(byAgent.map((row) => [row.agentId, row.spentMicros]))).toEqual(
      booked(decisions, settlements, ({ agentId }) => agentId),
    );
    expect(await ask(audit, doubledActions, { tenant })).toEqual([]);

    const reserving = new Map(decisions.map((one) => [one.actionId, one.reservation?.budgets ?? []]));
    const keys = ({ actionId }: { actionId: string }) =>
      (reserving.get(actionId) ?? []).map(
        (budget) => `${budget.scope}/${budget.subject}/${budget.id}/${budget.windowMs}`,
      );
    const bookings = [
      ...decisions.flatMap((one) => keys(one).map((key) => ({ key, micros: one.chargedMicros }))),
      ...settlements.flatMap((one) => keys(one).map((key) => ({ key, micros: one.deltaMicros }))),
    ];
    const byBudget = await everyBudget(tenant);
    expect(
      Object.fromEntries(
        byBudget.map((row) => [
          `${row.scope}/${row.subject}/${row.budgetId}/${row.windowMs}`,
          row.spentMicros,
        ]),
      ),
    ).toEqual(
      sumBy(
        bookings,
        ({ key }) => key,
        ({ micros }) => micros,
      ),
    );
  }
}
