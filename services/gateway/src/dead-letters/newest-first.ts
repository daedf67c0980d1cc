/**
 * Reads a topic backwards, newest record first. Within a partition, records keep their order. Records of different
 * partitions are ordered by the time when the log appended them. The position of a page has one offset for each
 * partition. The next page continues from this position.
 */
import type { Bus, LogRecord } from '@mandate/bus';

/** For each partition, the lowest offset that has been read. */
export type WalkPosition = ReadonlyMap<number, number>;

type Walk = { partition: number; end: number; startOffset: number; head: LogRecord | null };

/**
 * @param isWanted returns false for records to skip
 * @returns at most `limit` records, and the position of the next page; `next` is null at the beginning of the topic
 */
export async function newestFirst(
  bus: Bus,
  topic: string,
  { limit, before, isWanted }: { limit: number; before: WalkPosition; isWanted(record: LogRecord): boolean },
): Promise<{ records: readonly LogRecord[]; next: WalkPosition | null }> {
  const stepBack = async (walk: Walk) => {
    walk.head = await newestBefore(bus, topic, walk, isWanted);
    return walk;
  };
  const ranges = await bus.ranges(topic);
  const walks = await Promise.all(
    ranges.map(async ({ partition, startOffset, endOffset }) => {
      const end = Math.min(before.get(partition) ?? endOffset, endOffset);
      return stepBack({ partition, end, startOffset, head: null });
    }),
  );
  const records: LogRecord[] = [];
  while (records.length < limit) {
    const newest = newestOf(walks);
    if (newest?.head == null) return { records, next: null };
    records.push(newest.head);
    newest.end = newest.head.position.offset;
    await stepBack(newest);
  }
  const next = newestOf(walks) === null ? null : new Map(walks.map(({ partition, end }) => [partition, end]));
  return { records, next };
}

/**
 * Returns the newest wanted record before `end`, or null. Some offsets have no record, because of retention and
 * compaction.
 */
async function newestBefore(
  bus: Bus,
  topic: string,
  { partition, end, startOffset }: Walk,
  isWanted: (record: LogRecord) => boolean,
): Promise<LogRecord | null> {
  for (let offset = end - 1; offset >= startOffset; offset -= 1) {
    const record = await bus.at({ topic, partition, offset });
    if (record !== null && isWanted(record)) return record;
  }
  return null;
}

function newestOf(walks: readonly Walk[]): Walk | null {
  const left = walks.filter(({ head }) => head !== null);
  const atMs = ({ head }: Walk) => head?.appendedAtMs ?? 0;
  return left.reduce<Walk | null>(
    (best, walk) => (best === null || atMs(walk) > atMs(best) ? walk : best),
    null,
  );
}
