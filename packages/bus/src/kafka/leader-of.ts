import type { Broker, Cluster } from './client.ts';

/** The broker that leads the partition, as far as the cluster is known. */
export async function leaderOf(cluster: Cluster, topic: string, partition: number): Promise<Broker> {
  await cluster.addMultipleTargetTopics([topic]);
  const [nodeId = ''] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  return cluster.findBroker({ nodeId });
}
