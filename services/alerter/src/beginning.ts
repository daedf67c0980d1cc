/**
 * Where alerts begin: at the end of what was decided when the first alerter started. What lies before is history, and
 * raises no alert; only the known tools are learnt from it. It stands on the alerts topic, so that a crash before the
 * first commit does not move it.
 */
import type { Bus } from '@mandate/bus';
import type { Clock } from '@mandate/runtime';
import { TOPICS, wireTime } from '@mandate/schemas';
import type { AppendAlerts } from './append-alerts.ts';
import type { FollowedAlerts } from './follow-alerts.ts';

/** @returns the first offset that is no history, by partition of the decisions; in one that is not named all is news */
export async function beginning(
  { bus, append, clock }: { bus: Bus; append: AppendAlerts; clock: Clock },
  followed: FollowedAlerts,
): Promise<ReadonlyMap<number, number>> {
  if (followed.begun() === null) {
    const ranges = await bus.ranges(TOPICS.decisions);
    const offsets = Object.fromEntries(ranges.map(({ partition, endOffset }) => [partition, endOffset]));
    const begun = { offsets, at: wireTime(clock()) };
    await followed.reached(await append([{ event: 'alerts.begun', begun }]));
  }
  const offsets = Object.entries(followed.begun()?.offsets ?? {});
  return new Map(offsets.map(([partition, offset]) => [Number(partition), offset]));
}
