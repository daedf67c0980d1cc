import type { Cluster } from './client.ts';

/**
 * Returns the partition numbers of a topic from the current view of the cluster. Looks them up again if the view is
 * old, or if `mustBeFresh` is true.
 */
export async function partitionsOf(cluster: Cluster, topic: string, mustBeFresh = false): Promise<number[]> {
  await cluster.addMultipleTargetTopics([topic]);
  await (mustBeFresh ? cluster.refreshMetadata() : cluster.refreshMetadataIfNecessary());
  return cluster
    .findTopicPartitionMetadata(topic)
    .map(({ partitionId }) => partitionId)
    .sort((a, b) => a - b);
}
