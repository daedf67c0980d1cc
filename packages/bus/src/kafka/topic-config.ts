import { settingsOfTopic } from '@mandate/schemas';

/**
 * Returns the settings of a topic, with Kafka's names. schemas/src/topics.ts contains the retention of each topic.
 */
export function topicConfig(topic: string): Record<string, string> {
  const { retentionMs, maxBatchBytes } = settingsOfTopic(topic);
  return {
    // Deletion is by age, never by compaction. Compaction would delete earlier records of a key, but every record
    // counts.
    'cleanup.policy': 'delete',
    'max.message.bytes': `${maxBatchBytes}`,
    // The broker sets the time of a record, not the producer, because deadlines and decision ids depend on it.
    'message.timestamp.type': 'LogAppendTime',
    'retention.bytes': '-1',
    'retention.ms': `${retentionMs ?? -1}`,
    // A replica that lacks acknowledged records must not become the leader. Otherwise these records would be lost.
    'unclean.leader.election.enable': 'false',
  };
}
