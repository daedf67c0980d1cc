/** Counts lost records, and reports them: the first at once, and later ones together, at most one report a second. */
import { MandateError } from '@mandate/runtime';
import type { OnError } from '../types.ts';

const REPORT_EVERY_MS = 1_000;

export class LostRecords {
  readonly #output: string;
  readonly #onError: OnError;
  #count = 0;
  #reported = 0;
  #reason = '';
  #timer: NodeJS.Timeout | null = null;

  constructor(output: string, onError: OnError) {
    this.#output = output;
    this.#onError = onError;
  }

  get count(): number {
    return this.#count;
  }

  add(count: number, reason: string): void {
    this.#count += count;
    this.#reason = reason;
    if (this.#timer !== null) return;
    this.report();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.report();
    }, REPORT_EVERY_MS);
    this.#timer.unref();
  }

  /** Reports the records that are not reported yet. */
  report(): void {
    const records = this.#count - this.#reported;
    if (records === 0) return;
    this.#reported = this.#count;
    const message = `The audit lost ${records} records for "${this.#output}": ${this.#reason}.`;
    const remedy = 'The calls were decided as always. Give the audit a spill folder, or a faster output.';
    this.#onError(new MandateError('AUDIT_RECORDS_LOST', message, { remedy }));
  }
}
