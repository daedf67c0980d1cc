/**
 * Sends records to one output of the audit, in batches and in order. After a failure it waits, and sends the same batch
 * again. If a record can neither be sent nor stored, it is lost. Lost records are counted and reported.
 */
import { Backoff, sleep } from '../backoff.ts';
import type { OnError } from '../types.ts';
import type { AuditCounts, AuditOutput, AuditRecord } from './audit-output.ts';
import { LostRecords } from './lost-records.ts';
import { onExit } from './on-exit.ts';
import { RecordsRefused } from './records-refused.ts';
import { type Batch, type WaitingBounds, WaitingRecords } from './waiting-records.ts';

/** Default: 10,000 records or 32 MiB in memory, and 1 GiB in the spill file. */
export type QueueBounds = Partial<WaitingBounds>;

const BOUNDS: WaitingBounds = { maxRecords: 10_000, maxBytes: 32 << 20, maxSpillBytes: 2 ** 30 };
const FLUSH_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

export class AuditQueue {
  readonly #output: AuditOutput;
  readonly #onError: OnError;
  readonly #waiting: WaitingRecords;
  readonly #lost: LostRecords;
  readonly #backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  /** An abort of this controller ends the pause after a failure. */
  #resume = new AbortController();
  readonly #stopOnExit: () => void;
  #written = 0;
  /** The number of records that the output accepted, or that were lost. */
  #done = 0;
  #sending: Promise<void> | null = null;
  #isWriting = false;
  #isClosed = false;
  /** Resolves when the next batch is done. */
  #nextDone = Promise.withResolvers<void>();

  /** @throws MandateError ALREADY_HELD */
  constructor({
    output,
    spillPath,
    onError,
    ...bounds
  }: QueueBounds & { output: AuditOutput; spillPath: string | null; onError: OnError }) {
    this.#output = output;
    this.#onError = onError;
    this.#lost = new LostRecords(output.name, onError);
    this.#waiting = new WaitingRecords({
      spillPath,
      bounds: { ...BOUNDS, ...bounds },
      onError,
      onLost: (count, reason) => {
        this.#done += count;
        this.#lost.add(count, reason);
      },
    });
    this.#stopOnExit = onExit(() => this.#end());
    this.#send();
  }

  add(record: AuditRecord, line: string): void {
    const why = this.#isClosed ? 'the audit is closed' : this.#waiting.add(record, line);
    if (why === null) this.#send();
    else this.#lost.add(1, why);
  }

  counts(): AuditCounts {
    const { inMemory, spilled } = this.#waiting;
    return { written: this.#written, waiting: inMemory, spilled, lost: this.#lost.count };
  }

  /** Resolves when all earlier records are written or lost, or after `timeoutMs`. Never rejects. */
  async flush({ timeoutMs = FLUSH_MS }: { timeoutMs?: number } = {}): Promise<void> {
    const { inMemory, spilled } = this.#waiting;
    const target = this.#done + inMemory + spilled;
    const over = Promise.withResolvers<'over'>();
    const timer = setTimeout(() => over.resolve('over'), timeoutMs);
    this.#resume.abort();
    while (!this.#isClosed && this.#done < target) {
      if ((await Promise.race([this.#nextDone.promise, over.promise])) === 'over') break;
    }
    clearTimeout(timer);
  }

  /** Flushes, and ends. The records that were not written go to the spill file. */
  async close(options: { timeoutMs?: number } = {}): Promise<void> {
    if (this.#isClosed) return;
    await this.flush(options);
    await this.#waiting.settled();
    this.#end();
    // The queue does not wait for an output that still works on a batch.
    if (!this.#isWriting) await this.#output.close?.().catch(this.#onError);
  }

  /** Also stores the batch that the output is writing. This batch is sent again later, so it may be written twice. */
  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopOnExit();
    this.#resume.abort();
    this.#waiting.close();
    this.#lost.report();
  }

  #send(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    // Waits for the end of this turn of the event loop, so that records of one turn are sent together.
    await null;
    while (!this.#isClosed) {
      const mayGoOn = await this.#sendOldest().catch((error: unknown) => {
        if (!this.#isClosed) this.#onError(error);
        return false;
      });
      this.#nextDone.resolve();
      this.#nextDone = Promise.withResolvers();
      if (mayGoOn === 'nothing waits') return;
      if (!mayGoOn && !this.#isClosed) await this.#pause();
    }
  }

  #pause(): Promise<void> {
    this.#resume = new AbortController();
    return sleep(this.#backoff.nextMs(), this.#resume.signal, { isBackground: true });
  }

  async #sendOldest(): Promise<boolean | 'nothing waits'> {
    const batch = await this.#waiting.oldest();
    if (batch === null || this.#isClosed) return 'nothing waits';
    const refused = await this.#write(batch);
    if (this.#isClosed) return true;
    this.#waiting.remove(batch);
    this.#backoff.reset();
    this.#done += batch.lines.length;
    this.#written += batch.lines.length - refused;
    if (refused > 0) this.#lost.add(refused, 'the output refused them');
    return true;
  }

  /** @returns the number of records that the output will never accept */
  async #write({ records, lines }: Batch): Promise<number> {
    this.#isWriting = true;
    try {
      await this.#output.write(records, lines);
      return 0;
    } catch (error) {
      if (!(error instanceof RecordsRefused)) throw error;
      this.#onError(error);
      return error.count;
    } finally {
      this.#isWriting = false;
    }
  }
}
