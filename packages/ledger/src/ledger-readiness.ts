import type { ReadinessCheck } from '@mandate/runtime';
import { isLedgerNewer, LedgerNotReady } from './not-ready.ts';
import type { Ledger } from './port.ts';

/** Checks if the ledger answers now. The detail says if the ledger must first be rebuilt from the log. */
export function ledgerReadiness(ledger: Pick<Ledger, 'ping'>): Promise<ReadinessCheck> {
  return ledger.ping().then(
    () => ({ name: 'ledger', ok: true }),
    (error: unknown) => ({ name: 'ledger', ok: false, detail: detailOf(error) }),
  );
}

function detailOf(error: unknown): string {
  if (isLedgerNewer(error)) return 'newer than this program: upgrade the program, or roll all programs back';
  return error instanceof LedgerNotReady ? 'rebuilding' : 'it does not answer';
}
