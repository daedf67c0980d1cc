/**
 * Finds where alerting begins. It begins at the end of the decisions topic when the first alerter starts. Earlier
 * decisions raise no alert; they only show which tools are already in use. A record on the alerts topic stores this
 * beginning, so a crash before the first commit does not move it.
 */
import type { Bus } from '@mandate/bus';
import type { Clock } from '@mandate/runtime';
import { TOPICS, wireTime } from '@mandate/schemas';
import type { AppendAlerts } from './append-alerts.ts';
import type { FollowedAlerts } from './follow-alerts.ts';

/**
 * @returns for each partition, the offset where alerting begins; a partition without an entry has no earlier
 * decisions
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
