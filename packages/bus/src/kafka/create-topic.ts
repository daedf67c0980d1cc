import { settingsOfTopic } from '@mandate/schemas';
import { asking, type Connection } from './connection.ts';
import { answerOf } from './failure.ts';
import { partitionsOf } from './partitions-of.ts';
import { topicConfig } from './topic-config.ts';

/** With what a topic is made, beside the settings that its records ask for. */
export type Provisioning = {
  replicationFactor: number;
  /** How many replicas must have a record before it is acknowledged. */
  minInSyncReplicas: number;
  /** In place of what schemas/src/topics.ts says. */
  partitions: number | null;
};

/** Makes a topic; that another process makes it at the same time is no failure. */
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
  await asking(
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
  // It takes a moment until every broker knows of it, and who leads its partitions.
  await asking(connection, (cluster) => partitionsOf(cluster, topic), withinMs);
}
