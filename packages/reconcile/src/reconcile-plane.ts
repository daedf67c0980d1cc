/** Reconciles a running plane: reads its log from the file, and asks for its ledger and audit over HTTP. */
import type { Bus } from '@mandate/bus';
import type { ApiClient } from '@mandate/client';
import { allOf, rowsOf } from '@mandate/client';
import type { Balance } from '@mandate/ledger';
import type { AuditRow } from './laws/audit-rows.ts';
import { lifetimeBalances, type Report, reconcileSources } from './reconcile-sources.ts';

type LedgerAnswer = {
  tenant: string;
  epoch: string;
  balances: readonly { budget: Balance['budget']; spentMicros?: number; used?: number }[];
};
type BudgetsAnswer = { budgets: Parameters<typeof lifetimeBalances>[1]; next: string | null };
type SumsAnswer = { doubled: readonly unknown[]; keptFrom: string | null };

type RowsAnswer = { rows: readonly AuditRow[]; next: string | null };

const BUDGETS = {
  path: '/v1/audit/sums/budgets',
  cursor: 'cursor',
  pageSize: 1_000,
  rows: ({ budgets }: BudgetsAnswer) => budgets,
};

const ROWS = {
  path: '/v1/audit/sums/rows',
  cursor: 'cursor',
  pageSize: 10_000,
  rows: ({ rows }: RowsAnswer) => rows,
};

/**
 * Reconciles the tenant of the client's key. The key needs the scope `operate`. `onProgress` is called with the
 * number of records read so far.
 */
export async function reconcilePlane(
  bus: Bus,
  api: ApiClient,
  onProgress?: (records: number) => void,
): Promise<Report> {
  const { tenant } = await api.get<LedgerAnswer>('/v1/ledger/balances');
  return reconcileSources(
    {
      bus,
      ledger: {
        epoch: async () => (await api.get<LedgerAnswer>('/v1/ledger/balances')).epoch,
        balances: async () => {
          const { balances } = await api.get<LedgerAnswer>('/v1/ledger/balances');
          return balances.map(({ budget, spentMicros, used }) => ({
            tenant,
            budget,
            spent: used ?? spentMicros ?? 0,
          }));
        },
      },
      audit: {
        keptFrom: async () => {
          const { keptFrom } = await api.get<SumsAnswer>('/v1/audit/sums');
          return keptFrom === null ? null : Date.parse(keptFrom);
        },
        balances: async (_tenant, retentionStartMs) => {
          const keptFrom = retentionStartMs === null ? undefined : new Date(retentionStartMs).toISOString();
          return lifetimeBalances(tenant, await allOf(rowsOf(api, { ...BUDGETS, query: { keptFrom } })));
        },
        rows: (_tenant, table) => rowsOf(api, { ...ROWS, query: { table } }),
        doubledActions: async () => (await api.get<SumsAnswer>('/v1/audit/sums')).doubled,
      },
    },
    [tenant],
    onProgress,
  );
}
