/**
 * Reports outcomes, in their order and in batches. A call never waits for its report. The queue is bounded.
 * No outcome is lost silently: `onError` gets an error, and a counter counts the lost outcomes.
 */
import { MandateError } from '@mandate/runtime/errors';
import type { Outcome } from '@mandate/schemas';
import type { AuditCounts } from '../audit/audit-output.ts';
import { Backoff, sleep } from '../backoff.ts';
import { asSentence } from '../errors.ts';
import type { OnError } from '../types.ts';
import { type PlaneConnection, problemOf, refusalOf, sayFailure } from './plane-connection.ts';

/** The receiver of the outcomes: the gateway, a topic of the log, or the ledger in Redis. */
type Receiver = Pick<PlaneConnection, 'url' | 'closed' | 'send'>;

type Waiting = { outcome: Outcome; done: Promise<void>; resolve: () => void };

/** The gateway takes this many records in a request. */
const MOST_IN_A_BATCH = 500;
const MOST_WAITING = 10_000;
/** How long a request waits for the settlements, so that the costs of an agent are exact after it. */
const SETTLEMENT_MS = 1_000;
const SEND_MS = 10_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
/** The longest pause that the plane may ask for. */
const LONGEST_STATED_MS = 60_000;
const FLUSH_MS = 5_000;

/** Refusals that concern single outcomes of a batch. */
const OF_ONE_RECORD: ReadonlySet<unknown> = new Set([
  'INVALID_OUTCOME',
  'AGENT_NOT_ALLOWED',
  'TENANT_MISMATCH',
]);

export class OutcomeQueue {
  readonly #connection: Receiver;
  readonly #onError: OnError;
  readonly #waiting: Waiting[] = [];
  /** The last outcome of each agent that waits. */
  readonly #lastOf = new Map<string, Waiting>();
  #isSending = false;
  #written = 0;
  #lost = 0;

  constructor(connection: Receiver, onError: OnError) {
    this.#connection = connection;
    this.#onError = onError;
  }

  add(outcome: Outcome): void {
    const isFull = this.#waiting.length >= MOST_WAITING;
    if (isFull || this.#connection.closed.aborted) {
      this.#lose([outcome], isFull ? `${MOST_WAITING} outcomes wait already` : 'the instance is closed');
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = { outcome, done: promise, resolve };
    this.#waiting.push(waiting);
    this.#lastOf.set(outcome.agentId, waiting);
    if (!this.#isSending) void this.#sendAll();
  }

  /** Resolves when every outcome of the agent that waits now has been delivered or lost, or after the time. */
  async delivered(agentId: string, timeoutMs: number): Promise<void> {
    await this.#untilDone(this.#lastOf.get(agentId), timeoutMs);
  }

  /** Resolves when every outcome that waits now has been delivered or lost, or after the time. */
  async flush({ timeoutMs = FLUSH_MS }: { timeoutMs?: number } = {}): Promise<void> {
    await this.#untilDone(this.#waiting.at(-1), timeoutMs);
  }

  /** Loses what still waits. */
  close(): void {
    const left = this.#waiting.splice(0);
    if (left.length > 0) this.#lose(outcomesOf(left), 'the instance was closed');
    this.#finish(left);
  }

  counts(): AuditCounts {
    return { written: this.#written, waiting: this.#waiting.length, spilled: 0, lost: this.#lost };
  }

  async #untilDone(last: Waiting | undefined, timeoutMs: number): Promise<void> {
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
      const failure = await this.#send(batch);
      if (failure === null) {
        backoff.reset();
        continue;
      }
      if (this.#connection.closed.aborted) break;
      if (backoff.isFirst) this.#onError(delayed(this.#connection.url, failure));
      const statedMs = Math.min(failure.afterMs, LONGEST_STATED_MS);
      await sleep(Math.max(statedMs, backoff.nextMs()), this.#connection.closed, { isBackground: true });
    }
    this.#isSending = false;
  }

  /**
   * Sends the first outcomes that wait. A batch with a bad outcome is halved, until the bad one is alone. Returns why
   * the batch must be sent again later, or null.
   */
  async #send(batch: readonly Waiting[]): Promise<Failure | null> {
    const outcomes = outcomesOf(batch);
    const path = `/v1/outcomes?waitMs=${SETTLEMENT_MS}`;
    const sent = await this.#connection
      .send({ method: 'POST', path, body: outcomes }, SEND_MS)
      .catch((error: unknown): Failure => ({ why: sayFailure(error), afterMs: 0 }));
    if ('why' in sent) return sent;
    const problem = problemOf(sent.body);
    // A key may be replaced, and an address corrected. Only a plane can refuse an outcome for good.
    const isFinal = problem !== null && [400, 403, 409, 410, 413].includes(sent.status);
    if (sent.status === 200 || sent.status === 202) this.#written += batch.length;
    else if (!isFinal)
      return { why: refusalOf(this.#connection.url, sent).message, afterMs: sent.retryAfterMs ?? 0 };
    else if (batch.length > 1 && (OF_ONE_RECORD.has(problem.code) || sent.status === 413)) {
      return this.#send(batch.slice(0, Math.ceil(batch.length / 2)));
    } else this.#lose(outcomes, `${problem.detail}. ${problem.remedy}`);
    this.#finish(this.#waiting.splice(0, batch.length));
    return null;
  }

  #finish(done: readonly Waiting[]): void {
    for (const waiting of done) {
      const { agentId } = waiting.outcome;
      if (this.#lastOf.get(agentId) === waiting) this.#lastOf.delete(agentId);
      waiting.resolve();
    }
  }

  #lose(outcomes: readonly Outcome[], why: string): void {
    this.#lost += outcomes.length;
    const first = outcomes[0]?.actionId ?? '';
    this.#onError(
      new MandateError(
        'OUTCOMES_LOST',
        asSentence(`Lost outcomes: ${outcomes.length}, from ${first} on: ${why}`),
        {
          remedy: 'The reservations stay charged. Report the outcomes by hand if they cost less.',
        },
      ),
    );
  }
}

type Failure = { why: string; afterMs: number };

function outcomesOf(batch: readonly Waiting[]): readonly Outcome[] {
  return batch.map(({ outcome }) => outcome);
}

function delayed(url: string, { why }: Failure): MandateError {
  return new MandateError('OUTCOMES_DELAYED', `Outcomes wait, because ${url} does not take them: ${why}.`, {
    remedy: 'They are sent again until they are taken. Check the server, and the credentials.',
    retryable: true,
  });
}
