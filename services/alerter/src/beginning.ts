/**
 * Alerting begins at the end of the decisions topic at the moment when the first alerter starts. Earlier decisions
 * are history: they raise no alert, and only teach the alerter which tools are known. The beginning is a record on
 * the alerts topic, so a crash before the first commit does not move it.
 */
import type { Bus } from '@mandate/bus';
import type { Clock } from '@mandate/runtime';
import { TOPICS, wireTime } from '@mandate/schemas';
import type { AppendAlerts } from './append-alerts.ts';
import type { FollowedAlerts } from './follow-alerts.ts';

/**
 * @returns by partition of the decisions, the first offset that is not history; a partition that is missing here has
 * no history
 */
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
