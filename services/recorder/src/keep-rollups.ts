/**
 * Keeps the audit's rollups up to date. From time to time it counts again the changed hours that get no new rows any
 * more. Every recorder does this, but none has to: all write the same numbers, and missing rollups only make
 * questions slower. If there are no rollups, it begins with the newest hours, with several hundred thousand rows in a
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
  /** How long an hour must get no rows before it is counted, in milliseconds. */
  quietMs: number;
};

/**
 * How far back the first look goes. Recorders of an earlier version do not mark the hours that they change, and run
 * beside this one during an upgrade. So each look marks the hours that changed since the look before. The first look
 * goes back to the migration of the tables, but not further than this.
 */
const UPGRADED_WITHIN_MS = 86_400_000;

/** The longest time from the read of a record to its row. It allows for clocks that differ. */
const LANDED_WITHIN_MS = 120_000;

/** Checks at once and then every `everyMs`, until it is stopped. A running statement is still completed. */
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
    // Probably ClickHouse is away, and other parts report this. Nothing is lost, because the next run does the work.
    (err) => log.warn({ err }, 'sums of the audit could not be brought up to date'),
  );
  return {
    stop() {
      stopping.abort();
      stop();
    },
  };
}
