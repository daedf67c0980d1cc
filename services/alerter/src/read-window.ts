/** What lies before an offset of a partition, from a time on. */
import type { Bus, Coordinate, LogRecord } from '@mandate/bus';

/** Hands over the records before `end` that were appended at `fromMs` or later. */
export async function readWindow(
  bus: Bus,
  end: Coordinate,
  fromMs: number,
  onRecords: (records: readonly LogRecord[]) => void,
): Promise<void> {
  const { topic, partition } = end;
  const ranges = await bus.ranges(topic);
  const kept = ranges.find((range) => range.partition === partition)?.startOffset ?? 0;
  const start = await firstSince(bus, { ...end, offset: kept }, end.offset, fromMs);
  if (start >= end.offset) return;

  const done = Promise.withResolvers<void>();
  // A reader reads every partition of its topic: the others from their ends on.
  const from = Object.fromEntries(ranges.map((range) => [`${topic}/${range.partition}`, range.endOffset]));
  const reader = await bus.read({
    topics: [topic],
    from: { ...from, [`${topic}/${partition}`]: start },
    onRecords(records) {
      const here = records.filter(({ coordinate }) => coordinate.partition === partition);
      onRecords(here.filter(({ coordinate }) => coordinate.offset < end.offset));
      if (here.some(({ coordinate }) => coordinate.offset >= end.offset - 1)) done.resolve();
    },
  });
  try {
    await Promise.race([done.promise, reader.finished]);
  } finally {
    await reader.stop();
  }
}

/** The log's time does not run backwards within a partition, so halving finds it. */
async function firstSince(bus: Bus, start: Coordinate, end: number, fromMs: number): Promise<number> {
  let low = start.offset;
  let high = end;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const record = await bus.at({ ...start, offset: middle });
    // What retention took meanwhile was there before what is left.
    if (record === null || record.appendedAtMs < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
