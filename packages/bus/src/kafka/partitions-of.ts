import type { Cluster } from './client.ts';

/** Partition numbers of a topic as the cluster is known, asked anew where that is old. */
export async function partitionsOf(cluster: Cluster, topic: string): Promise<number[]> {
  await cluster.addMultipleTargetTopics([topic]);
  await cluster.refreshMetadataIfNecessary();
  return cluster
    .findTopicPartitionMetadata(topic)
    .map(({ partitionId }) => partitionId)
    .sort((a, b) => a - b);
}
