import type { Bus, LogPosition, LogRecord } from '@mandate/bus';

/**
 * Passes the records of a partition from `start` to before `endOffset` to `take`, in order, if the log still has
 * them. Rejects with any error of `take`.
 */
export async function readBetween(
  bus: Bus,
  start: LogPosition,
  endOffset: number,
  take: (record: LogRecord) => void,
): Promise<void> {
  const { topic, partition } = start;
  const ranges = await bus.ranges(topic);
  const kept = ranges.find((range) => range.partition === partition)?.startOffset ?? 0;
  const startOffset = Math.max(start.offset, kept);
  if (startOffset >= endOffset) return;

  const done = Promise.withResolvers<void>();
  // A reader reads all partitions of its topic. The other partitions are read from their ends, so they give no old
  // records.
  const from = Object.fromEntries(ranges.map((range) => [`${topic}/${range.partition}`, range.endOffset]));
  const reader = await bus.read({
    topics: [topic],
    from: { ...from, [`${topic}/${partition}`]: startOffset },
    onRecords: (records) => {
      for (const record of records) {
        const { position } = record;
        if (position.partition !== partition) continue;
        if (position.offset < endOffset) take(record);
        if (position.offset >= endOffset - 1) done.resolve();
      }
    },
  });
  try {
    await Promise.race([done.promise, reader.finished]);
  } finally {
    await reader.stop();
  }
}
