import { MandateError } from '@mandate/runtime';

/** LEDGER_UNAVAILABLE of a store that answers, and does not hold a ledger that may be believed. */
export class LedgerNotReady extends MandateError {
  /** Whether a rebuild by this program brings it back, as soon as none is under way. */
  readonly awaitsRebuild: boolean;
  /** The epoch that was asked for and is found wanting; '' where none was known. No reason to rebuild a later one. */
  readonly wanting: string;

  constructor(message: string, awaitsRebuild: boolean, wanting: string) {
    super('LEDGER_UNAVAILABLE', message, {
      remedy: 'Nothing was decided. It goes on by itself once the ledger has been rebuilt from the log.',
      retryable: true,
    });
    this.awaitsRebuild = awaitsRebuild;
    this.wanting = wanting;
  }
}
