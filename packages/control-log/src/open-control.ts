import type { Bus, Snapshots } from '@mandate/bus';
import type { DataFolder, Logger, Opening } from '@mandate/runtime';
import type { KafkaSettings } from '@mandate/runtime/settings';
import { type FollowedControl, followControl } from './follow-control.ts';
import { openControlSnapshots } from './snapshots/open-control-snapshots.ts';

export type OpenedControl = { followed: FollowedControl; snapshots: Snapshots };

/**
 * Starts from the newest snapshot and follows the control topic as long as the process runs.
 *
 * @param settings with `CONTROL_SNAPSHOT_AFTER_RECORDS` the process also writes a snapshot after this many records
 */
export async function openControl(
  settings: Pick<KafkaSettings, 'KAFKA_BROKERS'> & {
    readonly CONTROL_SNAPSHOT_AFTER_RECORDS?: number | undefined;
  },
  { bus, folder, log, running }: { bus: Bus; folder: DataFolder; log: Logger } & Pick<Opening, 'running'>,
): Promise<OpenedControl> {
  const snapshots = openControlSnapshots(settings, bus, folder);
  const { CONTROL_SNAPSHOT_AFTER_RECORDS: leaveAfterRecords } = settings;
  const following = followControl({
    bus,
    log,
    snapshots,
    ...(leaveAfterRecords !== undefined && { leaveAfterRecords }),
  });
  return { followed: running(await following), snapshots };
}
