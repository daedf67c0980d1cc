import type { Admin } from 'kafkajs';
import { waitUntil } from '../../wait-until.ts';

/** How long a broker may take to create a topic. This suffices even on a busy machine. */
const PATIENCE_MS = 60_000;
/** Errors of brokers that do not know the new topic yet, or have no leader for it yet. */
const NOT_YET = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'LEADER_NOT_AVAILABLE']);

/**
 * Creates a topic, and waits until each of its replicas follows a leader. Then all brokers know the topic. The
 * client's own `waitForLeaders` fails if a broker does not know the topic yet, or takes more than five seconds.
 */
export async function createTopic(admin: Admin, topic: string, numPartitions = 1): Promise<void> {
  await admin.createTopics({
    waitForLeaders: false,
    timeout: PATIENCE_MS,
    topics: [{ topic, numPartitions }],
  });
  await waitUntil(`replicas of ${topic}`, () => isFollowed(admin, topic, numPartitions), PATIENCE_MS);
}

async function isFollowed(admin: Admin, topic: string, numPartitions: number): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    const partitions = topics.flatMap((found) => found.partitions);
    return (
      partitions.length === numPartitions &&
      partitions.every(({ leader, replicas, isr }) => leader >= 0 && isr.length === replicas.length)
    );
  } catch (error) {
    if (error instanceof Error && 'type' in error && NOT_YET.has(String(error.type))) return false;
    throw error;
  }
}
