/**
 * Reports outcomes, in their order and in batches. A call never waits for its report. The queue is bounded.
 * No outcome is lost silently: `onError` gets an error, and a counter counts the lost outcomes.
 */
import { MandateError } from '@mandate/runtime/errors';
import type { Outcome } from '@mandate/schemas';
import type { AuditCounts } from './audit/audit-output.ts';
import { Backoff, sleep } from './backoff.ts';
import { asSentence } from './errors.ts';
import type { OnError } from './types.ts';

type Named = Pick<Outcome, 'actionId' | 'agentId'>;

/**
 * The answer of a receiver to a batch. `later`: send the batch again, after a pause. `smaller`: one outcome is refused,
 * and smaller batches find it. `lost`: the batch is refused permanently.
 */
export type Receipt =
  | { kind: 'taken' }
  | { kind: 'later'; why: string; afterMs: number }
  | { kind: 'smaller'; why: string }
  | { kind: 'lost'; why: string };

/** The receiver of the outcomes: the gateway, a topic of the log, or the ledger in Redis. */
export type Receiver<Report> = {
  /** The name in messages. */
  name: string;
  closed: AbortSignal;
  /** An error means `later`. */
  take(batch: readonly Report[]): Promise<Receipt>;
};

type Waiting<Report> = { report: Report; done: Promise<void>; resolve: () => void };

/** The maximum number of records in a request to the gateway. */
const MOST_IN_A_BATCH = 500;
const MOST_WAITING = 10_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
/** The longest pause that the plane may ask for. */
const LONGEST_STATED_MS = 60_000;
const FLUSH_MS = 5_000;

export class OutcomeQueue<Report extends Named> {
  readonly #receiver: Receiver<Report>;
  readonly #onError: OnError;
  readonly #waiting: Waiting<Report>[] = [];
  /** For each agent, the last of its outcomes that wait. */
  readonly #lastOf = new Map<string, Waiting<Report>>();
  #isSending = false;
  #written = 0;
  #lost = 0;

  constructor(receiver: Receiver<Report>, onError: OnError) {
    this.#receiver = receiver;
    this.#onError = onError;
  }

  add(report: Report): void {
    const isFull = this.#waiting.length >= MOST_WAITING;
    if (isFull || this.#receiver.closed.aborted) {
      this.#lose([report], isFull ? `${MOST_WAITING} outcomes wait already` : 'the instance is closed');
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { report, done: promise, resolve };
    this.#waiting.push(waiting);
    this.#lastOf.set(report.agentId, waiting);
    if (!this.#isSending) void this.#sendAll();
  }

  /** Resolves after the outcomes of the agent that wait now are delivered or lost, and at the latest after the time. */
  async delivered(agentId: string, timeoutMs: number): Promise<void> {
    await this.#untilDone(this.#lastOf.get(agentId), timeoutMs);
  }

  /** Resolves after the outcomes that wait now are delivered or lost, and at the latest after the time. */
  async flush({ timeoutMs = FLUSH_MS }: { timeoutMs?: number } = {}): Promise<void> {
    await this.#untilDone(this.#waiting.at(-1), timeoutMs);
  }

  /** Reports the outcomes that still wait as lost. */
  close(): void {
    const left = this.#waiting.splice(0);
    if (left.length > 0) this.#lose(reportsOf(left), 'the instance was closed');
    this.#finish(left);
  }

  counts(): AuditCounts {
    return { written: this.#written, waiting: this.#waiting.length, spilled: 0, lost: this.#lost };
  }

  async #untilDone(last: Waiting<Report> | undefined, timeoutMs: number): Promise<void> {
    if (last === undefined) return;
    const over = new AbortController();
    await Promise.race([last.done, sleep(timeoutMs, over.signal)]);
    over.abort();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    const backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
    // Outcomes that are reported in the same turn go into one batch.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, MOST_IN_A_BATCH);
      const later = await this.#send(batch);
      if (later === null) {
        backoff.reset();
        continue;
      }
      if (this.#receiver.closed.aborted) break;
      if (backoff.isFirst) this.#onError(delayed(this.#receiver.name, later.why));
      const statedMs = Math.min(later.afterMs, LONGEST_STATED_MS);
      await sleep(Math.max(statedMs, backoff.nextMs()), this.#receiver.closed, { isBackground: true });
    }
    this.#isSending = false;
  }

  /** Sends the first outcomes that wait. Returns the receipt if the batch must be sent again later, or null. */
  async #send(batch: readonly Waiting<Report>[]): Promise<Later | null> {
    const reports = reportsOf(batch);
    const receipt = await this.#receiver.take(reports).catch(failed);
    if (receipt.kind === 'later') return receipt;
    if (receipt.kind === 'smaller' && batch.length > 1)
      return this.#send(batch.slice(0, Math.ceil(batch.length / 2)));
    if (receipt.kind === 'taken') this.#written += batch.length;
    else this.#lose(reports, receipt.why);
    this.#finish(this.#waiting.splice(0, batch.length));
    return null;
  }

  #finish(done: readonly Waiting<Report>[]): void {
    for (const waiting of done) {
      const { agentId } = waiting.report;
      if (this.#lastOf.get(agentId) === waiting) this.#lastOf.delete(agentId);
      waiting.resolve();
    }
  }

  #lose(reports: readonly Report[], why: string): void {
    this.#lost += reports.length;
    const first = reports[0]?.actionId ?? '';
    this.#onError(
      new MandateError(
        'OUTCOMES_LOST',
        asSentence(`Lost outcomes: ${reports.length}, from ${first} on: ${why}`),
        {
          remedy: 'The reservations stay charged. Report the outcomes by hand if they cost less.',
        },
      ),
    );
  }
}

type Later = Extract<Receipt, { kind: 'later' }>;

function failed(error: unknown): Later {
  return { kind: 'later', why: error instanceof Error ? error.message : String(error), afterMs: 0 };
}

function reportsOf<Report>(batch: readonly Waiting<Report>[]): readonly Report[] {
  return batch.map(({ report }) => report);
}

function delayed(name: string, why: string): MandateError {
  return new MandateError('OUTCOMES_DELAYED', `Outcomes wait, because ${name} does not take them: ${why}.`, {
    remedy: 'They are sent again until they are taken. Check the server, and the credentials.',
    retryable: true,
  });
}
