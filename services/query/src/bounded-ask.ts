/**
 * Questions to the audit with limited waits. Each caller gets an answer or a 503 in bounded time, however much others
 * ask.
 */
import type { Readable } from 'node:stream';
import {
  type Asked,
  type AuditClient,
  ask,
  type Exportable,
  type ExportFormat,
  exportPart,
  type Question,
} from '@mandate/audit';
import { isMandateError, type Logger } from '@mandate/runtime';
import { HttpProblem, type Metrics } from '@mandate/server';
import type { z } from 'zod';
import { createFairSemaphore } from './fair-semaphore.ts';

/**
 * The maximum number of questions that run or wait. A client has 10 sockets, so some sockets are left for readiness.
 */
const MOST = { running: 8, waiting: 100 };

const GONE = 'the caller has disconnected';

/** The caller of a question: its tenant, and a signal that aborts when the caller no longer waits. */
export type Asker = { tenant: string; gone: AbortSignal };

/**
 * `ask` of the audit, with bounded waits. A question is given up when its caller no longer waits. Throws HttpProblem
 * 503: AUDIT_UNAVAILABLE if ClickHouse is away, too slow, or refuses the service; OVERLOADED if the tenant has too
 * many questions under way.
 */
export type BoundedAsk = <Params extends z.ZodType<Asked>, Row extends z.ZodType>(
  asker: Asker,
  question: Question<Params, Row>,
  given: z.input<Params>,
) => Promise<z.output<Row>[]>;

export function boundedAsk({ audit, ...options }: Bounds & { audit: AuditClient }): BoundedAsk {
  return askWithin(boundedWork(options), audit);
}

export function askWithin(bounded: BoundedWork, audit: AuditClient): BoundedAsk {
  return (asker, question, given) => bounded(asker, (givenUp) => ask(audit, question, given, givenUp));
}

/**
 * `exportPart` of the audit. The wait for the first byte is limited. The rest may take as long as the caller listens.
 */
export type BoundedExport = (
  asker: Asker,
  ...part: [of: Exportable, asked: Asked, as: { format: ExportFormat; named?: boolean }]
) => Promise<Readable>;

export function exportWithin(bounded: BoundedWork, audit: AuditClient): BoundedExport {
  return async (asker, ...part) => {
    const bytes = await bounded(asker, (givenUp) => exportPart(audit, ...part, givenUp));
    const onGone = () => void bytes.destroy();
    asker.gone.addEventListener('abort', onGone);
    // The listener is removed, because an export reads many parts with the same signal.
    bytes.once('close', () => asker.gone.removeEventListener('abort', onGone));
    return bytes;
  };
}

type Bounds = {
  log: Logger;
  metrics: Metrics;
  timeoutMs: number;
  /** The maximum number of questions that run or wait. Default: `MOST`. */
  most?: typeof MOST;
};

/** Any work that uses ClickHouse. It has the same limits as a question, because it uses the same semaphore. */
export type BoundedWork = <T>(asker: Asker, work: (givenUp: AbortSignal) => Promise<T>) => Promise<T>;

export function boundedWork(options: Bounds): BoundedWork {
  const { log, timeoutMs } = options;
  const failures = options.metrics.counter({
    name: 'mandate_query_failures_total',
    help: 'Questions that ClickHouse did not answer, by cause',
    labels: ['cause'],
  });
  const semaphore = createFairSemaphore(options.most ?? MOST);
  return async ({ tenant, gone }, work) => {
    // A signal that is already aborted fires no event.
    if (gone.aborted) throw unavailable(GONE);
    const late = Promise.withResolvers<never>();
    const givingUp = new AbortController();
    const giveUp = (why: HttpProblem) => {
      late.reject(why);
      givingUp.abort();
    };
    const timer = setTimeout(() => {
      failures.inc({ cause: 'slow' });
      log.warn({ timeoutMs }, 'ClickHouse took too long to answer, so the question was given up');
      giveUp(unavailable(`the audit gave no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    const onGone = () => giveUp(unavailable(GONE));
    gone.addEventListener('abort', onGone);
    const { signal } = givingUp;
    try {
      const answer = semaphore.run(tenant, signal, () => work(signal));
      return await Promise.race([answer, late.promise]);
    } catch (error) {
      // A retryable error, even a wrong password, is a failure of the plane. Other errors come from the question.
      if (!isMandateError(error) || !error.retryable) throw error;
      failures.inc({ cause: 'away' });
      // The message of ClickHouse may name hosts and tables. So it is only the cause, which is logged. The caller
      // does not get it.
      throw unavailable('the audit does not answer now', error);
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', onGone);
    }
  };
}

function unavailable(message: string, cause?: unknown): HttpProblem {
  return new HttpProblem(503, 'AUDIT_UNAVAILABLE', message, {
    remedy: 'Decisions continue, and nothing is lost. Ask again in a moment, or for a shorter time.',
    headers: { 'retry-after': '1' },
    ...(cause === undefined ? {} : { cause }),
  });
}
