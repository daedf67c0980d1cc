/** Questions to the audit that never keep a caller waiting: an answer, or 503 in bounded time. */
import { type AuditClient, ask, type Question } from '@mandate/audit';
import { HttpProblem, isMandateError, type Logger, type Metrics } from '@mandate/runtime';
import type { z } from 'zod';

type Asked = Readonly<Record<string, string | number | boolean | undefined>>;

/** `ask` of the audit, bounded. Throws HttpProblem 503 AUDIT_UNAVAILABLE when ClickHouse is away, too slow, or refuses us. */
export type BoundedAsk = <Params extends z.ZodType<Asked>, Row extends z.ZodType>(
  question: Question<Params, Row>,
  given: z.input<Params>,
) => Promise<z.output<Row>[]>;

export function boundedAsk(options: {
  audit: AuditClient;
  log: Logger;
  metrics: Metrics;
  timeoutMs: number;
}): BoundedAsk {
  const { audit, log, timeoutMs } = options;
  const failures = options.metrics.counter({
    name: 'mandate_query_failures_total',
    help: 'Questions that ClickHouse did not answer, by what was wrong',
    labels: ['cause'],
  });
  return async (question, given) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      failures.inc({ cause: 'slow' });
      log.warn({ timeoutMs }, 'ClickHouse took too long to answer; the caller was sent away');
      late.reject(unavailable(`the audit gave no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    try {
      return await Promise.race([ask(audit, question, given), late.promise]);
    } catch (error) {
      // What may pass is the house's to mend, a wrong password too, and no fault of the question.
      if (!isMandateError(error) || !error.retryable) throw error;
      failures.inc({ cause: 'away' });
      // What ClickHouse said may name hosts and tables: it goes to the log, as the cause, and not to the caller.
      throw unavailable('the audit does not answer now', error);
    } finally {
      clearTimeout(timer);
    }
  };
}

function unavailable(message: string, cause?: unknown): HttpProblem {
  return new HttpProblem(503, 'AUDIT_UNAVAILABLE', message, {
    remedy: 'Decisions go on and nothing is lost. Ask again in a moment, or for a shorter time.',
    headers: { 'retry-after': '1' },
    ...(cause === undefined ? {} : { cause }),
  });
}
