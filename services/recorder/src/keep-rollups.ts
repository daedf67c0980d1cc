/**
 * Keeps the sums of the audit near what is recorded: every so often counts again what was touched and has come to rest.
 * Every recorder does it, and none has to: they write the same, and what is not counted yet only makes questions slower. On
 * tables that never had sums it begins with the newest hours, some hundred thousand rows a statement.
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
  /** So long nothing must have come for an hour. */
  quietMs: number;
};

/**
 * Recorders of an earlier version say of no hour that they touched it, and run beside this one while they are replaced
 * one by one. So each look marks what any recorder recorded since the look before; the first reaches back to what came
 * since the tables were migrated, as far as that is no longer than an upgrade should take.
 */
const UPGRADED_WITHIN_MS = 86_400_000;

/** From when a record is read to when its row is there, by clocks that differ a little. */
const LANDED_WITHIN_MS = 120_000;

/** At once and then every `everyMs`, until stopped; a statement that runs then still ends. */
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
