/** The positions of a group, and its start in a partition without a position. */
import type { ConsumerOptions } from '../port.ts';
import type { Coordinator, Membership, TopicPartition } from './coordinator.ts';

export type TopicPartitionRange = TopicPartition & { startOffset: number; endOffset: number };

/** Access to topics: their partitions and the offsets on the log now. */
export type Log = {
  /** Returns the topics that exist. A missing topic was deleted, or is so new that not every broker knows it. */
  present(topics: readonly string[]): Promise<string[]>;
  partitionsOf(topics: readonly string[]): Promise<TopicPartition[]>;
  rangesOf(topics: readonly string[]): Promise<TopicPartitionRange[]>;
};

export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

/**
 * Fixes where a group starts when its first member joins, not at its first commit.
 * @returns partitions where the group starts after deleted records. Kafka deletes positions after
 * `offsets.retention.minutes`, so the group may or may not have handled these records
 */
export async function fixStart(
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
  await coordinator.setStart(starts);
  return from === 'latest' ? [] : starts.filter(({ offset }) => offset > 0);
}

/**
 * Returns the first offset to hand over from each partition. If a partition has no position, it is new for the group,
 * so the group gets all its records. From now on, the group notices if retention deletes some of them.
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
  await coordinator.setStart(fresh.map(startsAt), membership);
  return partitions.map((partition) => {
    const offset = positions.get(nameOf(partition));
    return offset === undefined ? startsAt(partition) : { ...partition, offset };
  });
}

/** Returns the number of uncommitted records of each partition, for all topics that exist. */
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
