import type { Cluster } from './client.ts';

/** Partition numbers of a topic as the cluster is known, asked again if that is old, or must not be. */
export async function partitionsOf(cluster: Cluster, topic: string, mustBeFresh = false): Promise<number[]> {
  await cluster.addMultipleTargetTopics([topic]);
  await (mustBeFresh ? cluster.refreshMetadata() : cluster.refreshMetadataIfNecessary());
  return cluster
    .findTopicPartitionMetadata(topic)
    .map(({ partitionId }) => partitionId)
    .sort((a, b) => a - b);
}
