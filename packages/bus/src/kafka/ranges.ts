import type { Cluster } from './client.ts';

export type Range = { partition: number; startOffset: number; endOffset: number };

/** Kafka's value for "no record was appended after that time". */
const NONE_SINCE = -1;

/**
 * Returns the offset ranges of the partitions now or before a time. A range ends with the committed transactions,
 * because consumers can read no further.
 */
export async function rangesOf(
  cluster: Cluster,
  topic: string,
  partitions: readonly number[],
  beforeMs?: number,
): Promise<Range[]> {
  await cluster.addMultipleTargetTopics([topic]);
  const offsets = async (where: { fromBeginning: boolean } | { fromTimestamp: number }) => {
    const asked = partitions.map((partition) => ({ partition }));
    const [found] = await cluster.fetchTopicsOffset([{ topic, partitions: asked, ...where }]);
    return new Map(found?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
  };
  const [starts, ends, since] = await Promise.all([
    offsets({ fromBeginning: true }),
    offsets({ fromBeginning: false }),
    beforeMs === undefined ? null : offsets({ fromTimestamp: beforeMs }),
  ]);
  return partitions.map((partition) => {
    const endOffset = ends.get(partition) ?? Number.NaN;
    const found = since?.get(partition) ?? NONE_SINCE;
    return {
      partition,
      startOffset: starts.get(partition) ?? Number.NaN,
      endOffset: found === NONE_SINCE ? endOffset : found,
    };
  });
}
