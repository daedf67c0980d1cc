/** Opens the snapshots of a log: on a topic if the log is on Kafka, otherwise in a file beside the log. */
import type { KafkaSettings } from '@mandate/runtime/settings';
import type { Bus } from '../port.ts';
import { fileSnapshots } from './file-snapshots.ts';
import type { Snapshots } from './port.ts';
import { topicSnapshots } from './topic-snapshots.ts';

/** @param home the topic or the file path for snapshots of one kind */
export function openSnapshots(
  { KAFKA_BROKERS }: Pick<KafkaSettings, 'KAFKA_BROKERS'>,
  bus: Bus,
  { topic, path }: { topic: string; path: string },
): Snapshots {
  return KAFKA_BROKERS === undefined ? fileSnapshots(path) : topicSnapshots(bus, topic);
}
