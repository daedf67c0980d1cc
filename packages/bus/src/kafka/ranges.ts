import type { Cluster } from './client.ts';

export type Range = { partition: number; startOffset: number; endOffset: number };

/** What the partitions hold now. The end is that of committed transactions: what a consumer can get to. */
export async function rangesOf(
  cluster: Cluster,
  topic: string,
  partitions: readonly number[],
): Promise<Range[]> {
  await cluster.addMultipleTargetTopics([topic]);
  const asked = partitions.map((partition) => ({ partition }));
  const [starts, ends] = await Promise.all(
    [true, false].map((fromBeginning) =>
      cluster.fetchTopicsOffset([{ topic, partitions: asked, fromBeginning }]),
    ),
  );
  const offsetIn = (found: typeof starts, partition: number) =>
    Number(found?.[0]?.partitions.find((each) => each.partition === partition)?.offset ?? Number.NaN);
  return partitions.map((partition) => ({
    partition,
    startOffset: offsetIn(starts, partition),
    endOffset: offsetIn(ends, partition),
  }));
}
