import { settingsOfTopic } from '@mandate/schemas';
import { type Connection, withBusErrors } from './connection.ts';
import { answerOf } from './failure.ts';
import { partitionsOf } from './partitions-of.ts';
import { topicConfig } from './topic-config.ts';

/** The settings for a new topic, in addition to the settings that its records need. */
export type Provisioning = {
  replicationFactor: number;
  /** The number of replicas that must store a record before it is acknowledged. */
  minInSyncReplicas: number;
  /** The number of partitions. Null to use the number in schemas/src/topics.ts. */
  partitions: number | null;
};

/** Creates a topic. Succeeds also if another process creates the topic at the same time. */
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
  // Waits, because some time passes until every broker knows the topic and the leaders of its partitions.
  await withBusErrors(connection, (cluster) => partitionsOf(cluster, topic), withinMs);
}
