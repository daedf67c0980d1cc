/** Where the snapshots of a log live: on the log where it is on Kafka, else in a file beside the log's. */
import type { Bus } from '@mandate/bus';
import type { KafkaSettings } from '@mandate/runtime';
import { fileSnapshots } from './file-snapshots.ts';
import type { Snapshots } from './port.ts';
import { topicSnapshots } from './topic-snapshots.ts';

/** @param path of the file */
export function openSnapshots({ KAFKA_BROKERS }: KafkaSettings, bus: Bus, path: string): Snapshots {
  return KAFKA_BROKERS === undefined ? fileSnapshots(path) : topicSnapshots(bus);
}
