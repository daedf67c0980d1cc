import { topicUnfit, unavailable } from '../errors.ts';
import type { ProducedPartition } from './client.ts';
import type { TopicPartition } from './coordinator.ts';

/** The offset of the first record, and the time of the append. The other records have the offsets after the first. */
export type Appended = { baseOffset: number; appendedAtMs: number };

/**
 * Returns the offset of the first record, and the time of the append. A response about another partition, or without
 * an offset, is not an acknowledgement, even if it contains no error.
 */
export function acknowledgedIn(
  answer: { topics: readonly { topicName: string; partitions: readonly ProducedPartition[] }[] },
  { topic, partition }: TopicPartition,
): Appended {
  const acks = answer.topics
    .filter(({ topicName }) => topicName === topic)
    .flatMap((each) => each.partitions);
  const [ack] = acks.filter((each) => each.partition === partition);
  const baseOffset = Number(ack?.baseOffset ?? -1);
  if (ack?.errorCode !== 0 || !Number.isSafeInteger(baseOffset) || baseOffset < 0) {
    throw unavailable(`the log's answer does not acknowledge what was sent to ${topic}/${partition}`);
  }
  const appendedAtMs = Number(ack.logAppendTime);
  if (appendedAtMs < 0) {
    throw topicUnfit(
      `topic ${topic} takes the time from its producers: message.timestamp.type must be LogAppendTime`,
      `kafka-configs --alter --topic ${topic} --add-config message.timestamp.type=LogAppendTime`,
    );
  }
  return { baseOffset, appendedAtMs };
}
