/** Reconciles a plane that runs: its log read from the file, its ledger and audit asked over HTTP. */
import type { Bus } from '@mandate/bus';
import type { Balance } from '@mandate/ledger';
import type { ApiClient } from '../api-client.ts';
import { lifetimeBalances, type Report, reconcileSources } from './reconcile-sources.ts';

type LedgerAnswer = { tenant: string; epoch: string; balances: readonly Omit<Balance, 'tenant'>[] };
type BudgetsAnswer = { budgets: Parameters<typeof lifetimeBalances>[1] };
type SumsAnswer = { doubled: readonly unknown[] };

/** Of the tenant of the client's key, which needs the scope `operate`. `onProgress`: records of the log read so far. */
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
          return balances.map((balance) => ({ tenant, ...balance }));
        },
      },
      audit: {
        balances: async () =>
          lifetimeBalances(tenant, (await api.get<BudgetsAnswer>('/v1/audit/sums/budgets')).budgets),
        doubledActions: async () => (await api.get<SumsAnswer>('/v1/audit/sums')).doubled,
      },
    },
    [tenant],
    onProgress,
  );
}
