/** Where a group stands, and where it begins where it stands nowhere yet. */
import type { ConsumerOptions } from '../port.ts';
import type { Coordinator, Membership, TopicPartition } from './coordinator.ts';

export type TopicPartitionRange = TopicPartition & { startOffset: number; endOffset: number };

/** The partitions of topics, and what they hold now. */
export type Log = {
  /** Those of the topics that are there: the others were deleted, or are so new that not every broker knows of them. */
  present(topics: readonly string[]): Promise<string[]>;
  partitionsOf(topics: readonly string[]): Promise<TopicPartition[]>;
  rangesOf(topics: readonly string[]): Promise<TopicPartitionRange[]>;
};

export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/**
 * Where a group starts is fixed when its first member comes, not when that one commits for the first time.
 * @returns partitions that it starts at although the log held more before: Kafka forgets positions too, after
 * `offsets.retention.minutes`, so it cannot be told whether those records were handled
 */
export async function settleStart(
  coordinator: Coordinator,
  log: Log,
  { topics, from }: Pick<ConsumerOptions, 'topics' | 'from'>,
): Promise<(TopicPartition & { offset: number })[]> {
  const positions = await coordinator.positions(await log.partitionsOf(topics));
  const ranges = await log.rangesOf(topics);
  const starts = ranges
    .filter((range) => !positions.has(nameOf(range)))
    .map(({ topic, partition, startOffset, endOffset }) => ({
      topic,
      partition,
      offset: from === 'latest' ? endOffset : startOffset,
    }));
  await coordinator.settle(starts);
  return from === 'latest' ? [] : starts.filter(({ offset }) => offset > 0);
}

/**
 * The offset from which each partition is to be served. One without a position came into being, or was followed, after the
 * group began: all of it is the group's, and from now on retention takes nothing of it unnoticed.
 */
export async function nextOffsets(
  coordinator: Coordinator,
  membership: Membership,
  log: Log,
  partitions: readonly TopicPartition[],
): Promise<(TopicPartition & { offset: number })[]> {
  if (partitions.length === 0) return [];
  const positions = await coordinator.positions(partitions);
  const fresh = partitions.filter((partition) => !positions.has(nameOf(partition)));
  const ranges = await log.rangesOf([...new Set(fresh.map(({ topic }) => topic))]);
  const starts = new Map(ranges.map((range) => [nameOf(range), range.startOffset]));
  const startsAt = (partition: TopicPartition) => ({
    ...partition,
    offset: starts.get(nameOf(partition)) ?? 0,
  });
  await coordinator.settle(fresh.map(startsAt), membership);
  return partitions.map((partition) => {
    const offset = positions.get(nameOf(partition));
    return offset === undefined ? startsAt(partition) : { ...partition, offset };
  });
}

/** Records not yet committed, for every partition of those topics that are there. */
export async function lagOf(
  coordinator: Coordinator,
  log: Log,
  topics: readonly string[],
): Promise<{ topic: string; partition: number; lag: number }[]> {
  const ranges = await log.rangesOf(await log.present(topics));
  const positions = await coordinator.positions(ranges);
  return ranges.map(({ topic, partition, startOffset, endOffset }) => {
    const position = positions.get(nameOf({ topic, partition })) ?? startOffset;
    return { topic, partition, lag: Math.max(0, endOffset - position) };
  });
}
