import { type Bus, openSnapshots, type Snapshots } from '@mandate/bus';
import type { DataFolder } from '@mandate/runtime';
import type { KafkaSettings } from '@mandate/runtime/settings';
import { TOPICS } from '@mandate/schemas';

/** Opens the snapshot store of a log. Kafka stores snapshots on a topic, other logs in a file in the data folder. */
export function openControlSnapshots(
  settings: Pick<KafkaSettings, 'KAFKA_BROKERS'>,
  bus: Bus,
  folder: Pick<DataFolder, 'controlSnapshot'>,
): Snapshots {
  return openSnapshots(settings, bus, { topic: TOPICS.controlSnapshots, path: folder.controlSnapshot });
}
