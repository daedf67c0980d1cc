import { settingsOfTopic } from '@mandate/schemas';

/** The settings of a topic in Kafka's names and words. schemas/src/topics.ts says which topic is kept for how long. */
export function topicConfig(topic: string): Record<string, string> {
  const { retentionMs, maxBatchBytes } = settingsOfTopic(topic);
  return {
    // Compaction would take earlier records of a key, and each of them counts.
    'cleanup.policy': 'delete',
    'max.message.bytes': `${maxBatchBytes}`,
    // The log's clock, never a producer's: deadlines and decision ids are counted from it.
    'message.timestamp.type': 'LogAppendTime',
    'retention.bytes': '-1',
    'retention.ms': `${retentionMs ?? -1}`,
    // A leader that had not everything would take acknowledged records away from everyone.
    'unclean.leader.election.enable': 'false',
  };
}
