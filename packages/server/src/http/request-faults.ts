/**
 * Counts and logs uncaught exceptions of requests and connections. Each exception is counted. Only the first of a
 * request is logged, because a forgotten timer may fail repeatedly.
 */
import type { FastifyBaseLogger } from 'fastify';
import type { Metrics } from '../metrics.ts';

export type RequestFaults = {
  /**
   * @param about facts about the request for the log, such as its id; null if a failure of this request was already
   * logged
   */
  note(error: unknown, about: object | null): void;
};

export function requestFaults(log: FastifyBaseLogger, metrics: Metrics): RequestFaults {
  const faults = metrics.counter({
    name: 'mandate_http_faults_total',
    help: 'Uncaught exceptions of requests. Each ended only its own request',
  });
  return {
    note(error, about) {
      faults.inc();
      if (about === null) return;
      log.error({ err: error, ...about }, 'an uncaught exception of a request; the request ends');
    },
  };
}
