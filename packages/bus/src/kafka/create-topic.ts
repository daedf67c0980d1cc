import { settingsOfTopic } from '@mandate/schemas';
import { type Connection, withBusErrors } from './connection.ts';
import { answerOf } from './failure.ts';
import { partitionsOf } from './partitions-of.ts';
import { topicConfig } from './topic-config.ts';

/** How to make a topic, besides the settings that its records need. */
export type Provisioning = {
  replicationFactor: number;
  /** The number of replicas that must have a record before it is acknowledged. */
  minInSyncReplicas: number;
  /** Overrides schemas/src/topics.ts. */
  partitions: number | null;
};

/** Makes a topic. If another process makes it at the same time, that is no failure. */
export async function createTopic(
  connection: Connection,
  topic: string,
  { replicationFactor, minInSyncReplicas, partitions }: Provisioning,
  withinMs: number,
): Promise<void> {
  const config = { ...topicConfig(topic), 'min.insync.replicas': `${minInSyncReplicas}` };
  const request = {
    topic,
    numPartitions: partitions ?? settingsOfTopic(topic).partitions,
    replicationFactor,
    configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
  };
  await withBusErrors(
    connection,
    async (cluster) => {
      await cluster.refreshMetadata();
      const controller = await cluster.findControllerBroker();
      try {
        await controller.createTopics({ topics: [request], timeout: withinMs });
      } catch (error) {
        if (answerOf(error) !== 'TOPIC_ALREADY_EXISTS') throw error;
      }
    },
    withinMs,
  );
  // It takes a moment until every broker knows the topic and the leaders of its partitions.
  await withBusErrors(connection, (cluster) => partitionsOf(cluster, topic), withinMs);
}
