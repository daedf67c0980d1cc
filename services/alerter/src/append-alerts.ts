/**
 * Appends alerts to the alerts topic, and retries until it succeeds. The evaluator already treats these alerts as
 * raised, so a lost alert would never be raised again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@mandate/bus';
import { isMandateError, type Logger } from '@mandate/runtime';
import { type AlertsRecord, TOPICS } from '@mandate/schemas';
import { ALERTS_PARTITION } from './follow-alerts.ts';
import type { AlerterMeasures } from './measures.ts';

/**
 * Resolves once the records are on the log, to the offset after them. Retries while the log is away. Rejects if
 * `signal` aborts first.
 */
export type AppendAlerts = (records: readonly AlertsRecord[]) => Promise<number>;

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 2_000;

export function appendAlerts(options: {
  bus: Pick<Bus, 'append'>;
  log: Logger;
  measures: AlerterMeasures;
  signal: AbortSignal;
}): AppendAlerts {
  const { bus, log, measures, signal } = options;
  return async (records) => {
    const outgoing = records.map((record) => ({
      key: null,
      partition: ALERTS_PARTITION,
      value: JSON.stringify(record),
    }));
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
      signal.throwIfAborted();
      try {
        const placed = await bus.append(TOPICS.alerts, outgoing);
        return (placed.at(-1)?.position.offset ?? -1) + 1;
      } catch (error) {
        if (!isMandateError(error) || !error.retryable) throw error;
        log.warn({ err: error, waitMs }, 'raised alerts wait for the log');
        measures.waits.inc({ code: error.code });
        await sleep(waitMs, undefined, { signal }).catch(() => {});
      }
    }
  };
}
