import type { ReadinessCheck } from '@mandate/runtime';
import { LedgerNotReady } from './not-ready.ts';
import type { Ledger } from './port.ts';

/** Whether the ledger can be asked now; one that has to come back from the log first says so. */
export function ledgerReadiness(ledger: Pick<Ledger, 'ping'>): Promise<ReadinessCheck> {
  return ledger.ping().then(
    () => ({ name: 'ledger', ok: true }),
    (error: unknown) => {
      const detail = error instanceof LedgerNotReady ? 'rebuilding' : 'it does not answer';
      return { name: 'ledger', ok: false, detail };
    },
  );
}
