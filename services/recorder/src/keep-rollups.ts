/**
 * Keeps the audit's rollups up to date. From time to time it counts again the hours that were changed and have been
 * quiet since. Every recorder does this and none must: all write the same numbers, and missing ones only make
 * questions slower. On tables without rollups it begins with the newest hours, some hundred thousand rows in a
 * statement.
 */
import { type AuditClient, ask, markRecordedSince, refreshRollups, waitingHours } from '@mandate/audit';
import { type Clock, type Logger, poll } from '@mandate/runtime';
import type { RecorderMeasures } from './measures.ts';

export type KeepRollupsOptions = {
  audit: AuditClient;
  clock: Clock;
  log: Logger;
  measures: RecorderMeasures;
  everyMs: number;
  /** How long no row may have arrived for an hour before it is counted. */
  quietMs: number;
};

/**
 * Recorders of an earlier version do not mark the hours that they change, and run beside this one during an upgrade.
 * So each look marks the hours that any recorder changed since the look before. The first look reaches back to the
 * migration of the tables, but at most as long as an upgrade should take.
 */
const UPGRADED_WITHIN_MS = 86_400_000;

/** The longest time from the read of a record to its row, with some room for clocks that differ. */
const LANDED_WITHIN_MS = 120_000;

/** Looks at once and then every `everyMs`, until it is stopped. A running statement still ends. */
export function keepRollups({ audit, clock, log, measures, everyMs, quietMs }: KeepRollupsOptions): {
  stop(): void;
} {
  const stopping = new AbortController();
  let markedToMs = clock() - UPGRADED_WITHIN_MS;
  const { stop } = poll(
    everyMs,
    async () => {
      const beganMs = clock();
      await markRecordedSince(audit, markedToMs);
      markedToMs = beganMs - LANDED_WITHIN_MS;
      let counted = { hours: 0, days: 0 };
      do {
        counted = await refreshRollups(audit, { quietMs, signal: stopping.signal });
        const [waiting] = await ask(audit, waitingHours, {});
        measures.rollupHours.set({}, waiting?.hours ?? 0);
        measures.rollupSeconds.set({}, waiting?.hours ? (clock() - waiting.sinceMs) / 1_000 : 0);
      } while (counted.hours + counted.days > 0 && !stopping.signal.aborted);
    },
    // Most likely ClickHouse is away, which others report. Nothing is lost: the next look does the work.
    (err) => log.warn({ err }, 'sums of the audit could not be brought up to date'),
  );
  return {
    stop() {
      stopping.abort();
      stop();
    },
  };
}
