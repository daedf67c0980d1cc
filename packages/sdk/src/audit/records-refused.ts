import { MandateError } from '@mandate/runtime';

/** An output throws this error if it accepted a batch, except for records that it will never accept. */
export class RecordsRefused extends MandateError {
  /** The number of refused records. */
  readonly count: number;

  constructor(count: number, reason: string) {
    super('AUDIT_RECORDS_REFUSED', `An output of the audit refused ${count} records: ${reason}`, {
      remedy: 'These records are lost to this output. Use the same version of Mandate on both sides.',
    });
    this.count = count;
  }
}
