/**
 * Measures from time to time how many records are not recorded yet. Logs an alarm while there is time to act: when
 * the oldest of these records has used half of the log's retention.
 */
import type { Bus, Consumer } from '@mandate/bus';
import { type Clock, type Logger, poll } from '@mandate/runtime';
import type { RecorderMeasures } from './measures.ts';

export type LagWatchOptions = {
  bus: Bus;
  consumer: Pick<Consumer, 'lag'>;
  clock: Clock;
  log: Logger;
  measures: RecorderMeasures;
  /** How long the log keeps the records. Absent if the log keeps records without a limit. Then there is no alarm. */
  retentionMs?: number | undefined;
  everyMs: number;
};

/** How often a lasting alarm is logged again. */
const ALARM_EVERY_MS = 60_000;

/** Measures at once and then every `everyMs`, until it is stopped. */
export function watchLag(options: LagWatchOptions): { stop(): void } {
  const alarmed = new Map<string, number>();
  return poll(
    options.everyMs,
    () => lookOnce(options, alarmed),
    (err) => options.log.warn({ err }, 'the lag is not known'),
  );
}

async function lookOnce(options: LagWatchOptions, alarmed: Map<string, number>): Promise<void> {
  const { bus, consumer, clock, log, measures, retentionMs } = options;
  for (const { topic, partition, lag } of await consumer.lag()) {
    measures.lag.set({ topic, partition: String(partition) }, lag);
    const name = `${topic}/${partition}`;
    const oldestMs =
      lag === 0 || retentionMs === undefined ? null : await oldest(bus, { topic, partition, lag });
    if (oldestMs === null || retentionMs === undefined || clock() - oldestMs < retentionMs / 2) {
      alarmed.delete(name);
      continue;
    }
    const sinceMs = clock() - (alarmed.get(name) ?? Number.NEGATIVE_INFINITY);
    if (sinceMs < ALARM_EVERY_MS) continue;
    alarmed.set(name, clock());
    log.error(
      { topic, partition, lag, ageMs: clock() - oldestMs, retentionMs },
      'records will soon be gone from the log and are not recorded: bring ClickHouse back, or keep the log for longer',
    );
  }
}

/** Returns when the oldest unrecorded record was appended. Null if this record was deleted or recorded meanwhile. */
async function oldest(
  bus: Bus,
  { topic, partition, lag }: { topic: string; partition: number; lag: number },
): Promise<number | null> {
  const range = (await bus.ranges(topic)).find((candidate) => candidate.partition === partition);
  if (range === undefined) return null;
  const offset = Math.max(range.startOffset, range.endOffset - lag);
  return (await bus.at({ topic, partition, offset }))?.appendedAtMs ?? null;
}
