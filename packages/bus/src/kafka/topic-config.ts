import { settingsOfTopic } from '@mandate/schemas';

/** Returns the settings of a topic in Kafka's words. schemas/src/topics.ts has the retention of each topic. */
export function topicConfig(topic: string): Record<string, string> {
  const { retentionMs, maxBatchBytes } = settingsOfTopic(topic);
  return {
    // Compaction would delete earlier records of a key, and every record counts.
    'cleanup.policy': 'delete',
    'max.message.bytes': `${maxBatchBytes}`,
    // The log's clock, never a producer's, because deadlines and decision ids depend on it.
    'message.timestamp.type': 'LogAppendTime',
    'retention.bytes': '-1',
    'retention.ms': `${retentionMs ?? -1}`,
    // A replica that lacks acknowledged records must not become the leader. Otherwise these records would be lost.
    'unclean.leader.election.enable': 'false',
  };
}
