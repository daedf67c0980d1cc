/**
 * Tests that no answer counts a row twice. The search, and the sums for the reconciler, must equal a simple
 * computation over the unique records. Order, batches, repeats and the number of recorders must not matter.
 * analytics.ts tests the analytics.
 */
import { byLength } from '@mandate/testing';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import { arbitraryHistory, type History } from '../arbitrary-history.ts';
import {
  type AuditClient,
  ask,
  chargesByAgent,
  chargesByBudget,
  doubledActions,
  searchDecisions,
} from '../index.ts';
import { arbitraryFilter } from './arbitrary-filter.ts';
import { type MakeAudit, withTables } from './audit-under-test.ts';
import { bookingsOf, budgetMoves, type Filter, sumBy } from './fold-history.ts';
import { recordShuffled } from './record-shuffled.ts';

export function answers(make: MakeAudit): void {
  let audit: AuditClient;
  beforeAll(async () => {
    const tables = await withTables(make);
    ({ audit } = tables);
    return tables.end;
  });

  let runs = 0;

  test('returns the same answers as a plain computation over the unique records', async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryHistory(),
        fc.array(fc.integer({ min: 1, max: 17 }), { minLength: 1, maxLength: 4 }),
        arbitraryFilter,
        async (historyOf, cuts, filter) => {
          runs += 1;
          const tenant = `t-${runs}`;
          const history = historyOf(tenant);
          await recordShuffled(audit, history, cuts);
          const found = bookingsOf(history, filter).flatMap(({ decision, isDecision }) =>
            decision && isDecision ? [decision.id] : [],
          );
          expect(await pages({ tenant, ...filter }, cuts[0] ?? 1)).toEqual(found.sort().reverse());
          await expectReconciliation(tenant, history);
        },
      ),
      { numRuns: byLength({ short: 3, full: 10 }) },
    );
  });

  async function pages(asked: Filter & { tenant: string }, limit: number): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const before = ids.at(-1);
      const page = await ask(audit, searchDecisions, { ...asked, limit, ...(before && { before }) });
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
    const byAgent = await ask(audit, chargesByAgent, { tenant });
    expect(Object.fromEntries(byAgent.map((row) => [row.agentId, row.spentMicros]))).toEqual(
      sumBy(
        bookingsOf(history, {}),
        ({ agentId }) => agentId,
        ({ chargedMicros, settledMicros }) => chargedMicros + settledMicros,
      ),
    );
    expect(await ask(audit, doubledActions, { tenant })).toEqual([]);
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
        budgetMoves(history),
        ({ name }) => name,
        ({ micros }) => micros,
      ),
    );
  }
}
