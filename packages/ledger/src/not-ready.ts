import { isMandateError, MandateError } from '@mandate/runtime';

/**
 * The error LEDGER_UNAVAILABLE of a store that answers but has no valid ledger. This program can rebuild the ledger,
 * unless another rebuild is running.
 */
export class LedgerNotReady extends MandateError {
  /** The epoch that was lost, or '' if it is unknown. If a later epoch is in force, no rebuild is needed. */
  readonly lostEpoch: string;
  /** The code of the reason. `empty`: the store holds no ledger. `run`: the server was restarted or replaced. */
  readonly why: string;

  constructor(message: string, lostEpoch: string, why: string) {
    super('LEDGER_UNAVAILABLE', message, {
      remedy:
        'Nothing was decided. Decisions continue by themselves after the ledger was rebuilt from the log.',
      retryable: true,
    });
    this.lostEpoch = lostEpoch;
    this.why = why;
  }
}

/**
 * The error if newer programs have rebuilt the ledger in a format that this program cannot read. This program must
 * not rebuild it, because the newer programs would rebuild it again, without end. Retryable, because a newer program
 * may answer the retry.
 */
export function ledgerNewer(found: string, own: string): MandateError {
  return new MandateError(
    'LEDGER_NEWER',
    `The ledger has layout ${found}, but this older program reads ${own}.`,
    {
      remedy: 'Nothing was decided. Upgrade this program, or roll all programs back: docs/deploy.md.',
      retryable: true,
    },
  );
}

export function isLedgerNewer(error: unknown): error is MandateError {
  return isMandateError(error, 'LEDGER_NEWER');
}
