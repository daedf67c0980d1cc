/**
 * Keeps the sums of the audit near what is recorded: every so often counts again what was touched and has come to rest.
 * Every recorder does it, and none has to: they write the same, and what is not counted yet only makes questions slower. On
 * tables that never had sums it begins with the newest hours, some hundred thousand rows a statement.
 */
import { type AuditClient, ask, markRecordedSince, refreshRollups, waitingHours } from '@mandate/audit';
import { type Clock, type Logger, lookOften } from '@mandate/runtime';
import type { RecorderMeasures } from './measures.ts';

export type KeepRollupsOptions = {
  audit: AuditClient;
  clock: Clock;
  log: Logger;
  measures: RecorderMeasures;
  everyMs: number;
  /** So long nothing must have come for an hour. */
  quietMs: number;
};

/**
 * What recorders of an earlier version left at: they say of no hour that they touched it. One by one they are replaced, so
 * that the last of the new ones begins behind the last row of theirs. Longer than that should take.
 */
const UPGRADED_WITHIN_MS = 86_400_000;

/** At once and then every `everyMs`, until stopped; a statement that runs then still ends. */
export function keepRollups({ audit, clock, log, measures, everyMs, quietMs }: KeepRollupsOptions): {
  stop(): void;
} {
  const stopping = new AbortController();
  const sinceMs = clock() - UPGRADED_WITHIN_MS;
  let isMarked = false;
  const { stop } = lookOften(
    everyMs,
    async () => {
      if (!isMarked) await markRecordedSince(audit, sinceMs);
      isMarked = true;
      let counted = { hours: 0, days: 0 };
      do {
        counted = await refreshRollups(audit, { quietMs, signal: stopping.signal });
        const [waiting] = await ask(audit, waitingHours, {});
        measures.rollupHours.set({}, waiting?.hours ?? 0);
        measures.rollupSeconds.set({}, waiting?.hours ? (clock() - waiting.sinceMs) / 1_000 : 0);
      } while (counted.hours + counted.days > 0 && !stopping.signal.aborted);
    },
    // ClickHouse away, most likely, of which others tell: nothing is lost, the next look does it.
    (err) => log.warn({ err }, 'sums of the audit could not be brought up to date'),
  );
  return {
    stop() {
      stopping.abort();
      stop();
    },
  };
}
