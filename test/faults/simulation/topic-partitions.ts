/** Partitions of the log, and their names as map keys. */
export type TopicPartition = { topic: string; partition: number };

export function nameOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

export function parseTopicPartition(name: string): TopicPartition {
  const slash = name.lastIndexOf('/');
  return { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
}

export function topicPartitionOf({ topic, partition }: TopicPartition): TopicPartition {
  return { topic, partition };
}
