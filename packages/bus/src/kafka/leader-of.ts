import type { Broker, Cluster } from './client.ts';

/** Returns the broker that leads the partition, according to the current view of the cluster. */
export async function leaderOf(cluster: Cluster, topic: string, partition: number): Promise<Broker> {
  await cluster.addMultipleTargetTopics([topic]);
  const [nodeId = ''] = Object.keys(cluster.findLeaderForPartitions(topic, [partition]));
  return cluster.findBroker({ nodeId });
}
