/**
 * Exceptions that nothing caught and that belong to one request or one connection: what is said of them. Each is counted;
 * of those of one request the first is logged, as a timer that was left behind may fail again and again.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Metrics } from '../metrics.ts';

export type RequestFaults = {
  /** @param about what tells the request in the log; null if this request is in the log already */
  note(error: unknown, about: object | null): void;
};

export function requestFaults(log: FastifyBaseLogger, metrics: Metrics): RequestFaults {
  const faults = metrics.counter({
    name: 'mandate_http_faults_total',
    help: 'Exceptions of requests that nothing caught: each ended its request, and the process went on',
  });
  return {
    note(error, about) {
      faults.inc();
      if (about === null) return;
      log.error({ err: error, ...about }, 'an exception of a request that nothing caught; the request ends');
    },
  };
}
