/** Makes batches as a consumer gets them: each batch has records of one partition, and the partitions take turns. */
import { keyPartition } from '@mandate/bus';
import { agentKey, settingsOfTopic, TOPICS } from '@mandate/schemas';

export function partitionBatches<T>(
  items: readonly T[],
  size: number,
  partitionOf: (item: T) => number,
): T[][] {
  const byPartition = Map.groupBy(items, partitionOf);
  return [...byPartition.values()]
    .flatMap((mine) =>
      Array.from({ length: Math.ceil(mine.length / size) }, (_, turn) => ({
        turn,
        batch: mine.slice(turn * size, (turn + 1) * size),
      })),
    )
    .toSorted((one, other) => one.turn - other.turn)
    .map(({ batch }) => batch);
}

/** Returns the partition of this agent's records. */
export function partitionOfAgent({ tenant, agentId }: { tenant: string; agentId: string }): number {
  return partitionOfKey(agentKey(tenant, agentId));
}

export function partitionOfKey(key: string): number {
  return keyPartition(key, settingsOfTopic(TOPICS.actions).partitions);
}
