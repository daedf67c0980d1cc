/**
 * Walks a topic backwards, newest record first. Each partition is in order; across partitions the log's own time
 * decides. Where the walk stands is one offset a partition, which is what a page hands to the next.
 */
import type { Bus, LogRecord } from '@mandate/bus';

/** By partition: everything from this offset on has been seen. */
export type WalkPosition = ReadonlyMap<number, number>;

type Walk = { partition: number; end: number; startOffset: number; head: LogRecord | null };

/** @returns at most `limit` records, and where to go on; `next` is null at the beginning of the topic */
export async function newestFirst(
  bus: Bus,
  topic: string,
  { limit, before }: { limit: number; before: WalkPosition },
): Promise<{ records: readonly LogRecord[]; next: WalkPosition | null }> {
  const ranges = await bus.ranges(topic);
  const walks = await Promise.all(
    ranges.map(async ({ partition, startOffset, endOffset }) => {
      const end = Math.min(before.get(partition) ?? endOffset, endOffset);
      return stepBack(bus, topic, { partition, end, startOffset, head: null });
    }),
  );
  const records: LogRecord[] = [];
  while (records.length < limit) {
    const newest = newestOf(walks);
    if (newest?.head == null) return { records, next: null };
    records.push(newest.head);
    newest.end = newest.head.coordinate.offset;
    await stepBack(bus, topic, newest);
  }
  const next = newestOf(walks) === null ? null : new Map(walks.map(({ partition, end }) => [partition, end]));
  return { records, next };
}

/** Loads the newest record before `end`. Retention and compaction leave offsets that hold nothing. */
async function stepBack(bus: Bus, topic: string, walk: Walk): Promise<Walk> {
  walk.head = null;
  for (let offset = walk.end - 1; offset >= walk.startOffset && walk.head === null; offset -= 1) {
    walk.head = await bus.at({ topic, partition: walk.partition, offset });
  }
  return walk;
}

function newestOf(walks: readonly Walk[]): Walk | null {
  const left = walks.filter(({ head }) => head !== null);
  const atMs = ({ head }: Walk) => head?.appendedAtMs ?? 0;
  return left.reduce<Walk | null>(
    (best, walk) => (best === null || atMs(walk) > atMs(best) ? walk : best),
    null,
  );
}
