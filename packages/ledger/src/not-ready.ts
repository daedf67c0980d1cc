import { MandateError } from '@mandate/runtime';

/** LEDGER_UNAVAILABLE of a store that answers, and does not hold a ledger that may be believed. */
export class LedgerNotReady extends MandateError {
  /** Whether a rebuild by this program brings it back, as soon as none is under way. */
  readonly awaitsRebuild: boolean;

  constructor(message: string, awaitsRebuild: boolean) {
    super('LEDGER_UNAVAILABLE', message, {
      remedy: 'Nothing was decided. It goes on by itself once the ledger has been rebuilt from the log.',
      retryable: true,
    });
    this.awaitsRebuild = awaitsRebuild;
  }
}
