/** Reads the records of a partition that were appended after a time and before an offset. */
import type { Bus, LogPosition, LogRecord } from '@mandate/bus';

/** How many records are read before other work of the event loop runs. */
const AT_A_TIME = 100;

/** Passes the records before `end` to `onRecords`, if they were appended at `fromMs` or later. */
export async function readWindow(
  bus: Bus,
  end: LogPosition,
  fromMs: number,
  onRecords: (records: readonly LogRecord[]) => void,
): Promise<void> {
  const { topic, partition } = end;
  const before = await bus.ranges(topic, fromMs);
  const start = before.find((range) => range.partition === partition)?.endOffset ?? 0;
  if (start >= end.offset) return;

  const done = Promise.withResolvers<void>();
  // A reader reads all partitions of its topic. The other partitions are read from their ends, so they give no old
  // records.
  const ranges = await bus.ranges(topic);
  const from = Object.fromEntries(ranges.map((range) => [`${topic}/${range.partition}`, range.endOffset]));
  const reader = await bus.read({
    topics: [topic],
    from: { ...from, [`${topic}/${partition}`]: start },
    maxBatch: AT_A_TIME,
    onRecords(records) {
      const here = records.filter(({ position }) => position.partition === partition);
      onRecords(here.filter(({ position }) => position.offset < end.offset));
      if (here.some(({ position }) => position.offset >= end.offset - 1)) done.resolve();
    },
  });
  try {
    await Promise.race([done.promise, reader.finished]);
  } finally {
    await reader.stop();
  }
}
