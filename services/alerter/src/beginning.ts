/**
 * Alerting begins when the first alerter starts, at the end of the decisions topic. Earlier decisions raise no alert.
 * They only show which tools are known. A record on the alerts topic says where alerting begins, so a crash before
 * the first commit does not move it.
 */
import type { Bus } from '@mandate/bus';
import type { Clock } from '@mandate/runtime';
import { TOPICS, wireTime } from '@mandate/schemas';
import type { AppendAlerts } from './append-alerts.ts';
import type { FollowedAlerts } from './follow-alerts.ts';

/**
 * @returns the first offset after the earlier decisions, by partition; a partition that is missing here has no
 * earlier decisions
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
