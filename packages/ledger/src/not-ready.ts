import { isMandateError, MandateError } from '@mandate/runtime';

/**
 * LEDGER_UNAVAILABLE of a store that answers but has no valid ledger. A rebuild by this program restores the ledger,
 * unless another rebuild is under way.
 */
export class LedgerNotReady extends MandateError {
  /**
   * The epoch that was found lost, or '' if none was known. It is no reason to rebuild if a later epoch is in force.
   */
  readonly lostEpoch: string;

  constructor(message: string, lostEpoch: string) {
    super('LEDGER_UNAVAILABLE', message, {
      remedy: 'Nothing was decided. It goes on by itself once the ledger has been rebuilt from the log.',
      retryable: true,
    });
    this.lostEpoch = lostEpoch;
  }
}

/**
 * Newer programs have rebuilt the ledger in a form that this program cannot read. If this program rebuilt it, they
 * would rebuild it again, without end. Retryable, because a newer program may answer the retry.
 */
export function ledgerNewer(found: string, own: string): MandateError {
  return new MandateError(
    'LEDGER_NEWER',
    `The ledger has layout ${found}; this program reads ${own}: it is older than the ledger.`,
    {
      remedy: 'Nothing was decided. Upgrade this program, or roll all of them back: docs/deploy.md.',
      retryable: true,
    },
  );
}

export function isLedgerNewer(error: unknown): error is MandateError {
  return isMandateError(error, 'LEDGER_NEWER');
}
