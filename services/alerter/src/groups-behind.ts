/**
 * Finds deciders and recorders that are late, from the positions of their groups on the log. This works even if all
 * of them are away and write no records.
 */
import type { Bus } from '@mandate/bus';
import { GROUPS, TOPICS } from '@mandate/schemas';
import type { Alarms } from './rules/alarms.ts';
import type { Finding } from './rules/finding.ts';
import { behind, type LagRule, type Undone } from './rules/lag-rule.ts';

/** `topics` are watched even if the group has never read them. All topics that a group has read are watched too. */
const WATCHED = [
  { group: GROUPS.decider, topics: [TOPICS.actions] },
  // No topic is watched before a recorder has read it, because a plane without an audit needs no recorder.
  { group: GROUPS.recorder, topics: [] },
] as const;

type Log = Pick<Bus, 'positions' | 'ranges'>;

export async function groupsBehind(
  bus: Log,
  { alarms, lag, nowMs }: { alarms: Alarms; lag: LagRule; nowMs: number },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { group, topics } of WATCHED) {
    // A late group is no longer late at half of the limit, as for late decisions.
    const { stands = false } = alarms.get('lag', null, group) ?? {};
    const lateMs = stands ? Math.floor(lag.lateMs / 2) : lag.lateMs;
    const undone = await undoneBy(bus, group, topics, nowMs - lateMs);
    if (undone !== null) findings.push(behind(group, undone, lag, nowMs));
  }
  return findings;
}

/**
 * Returns how many records older than a time are not done, or null if no topic is watched. Each set of audit tables
 * has its own recorder group, and groups of old sets never catch up. So a record is done if any of the groups has
 * read it.
 */
async function undoneBy(
  bus: Log,
  group: string,
  topics: readonly string[],
  beforeMs: number,
): Promise<Undone | null> {
  const positions = await bus.positions(group);
  const watched = new Set([...topics, ...positions.map(({ topic }) => topic)]);
  if (watched.size === 0) return null;
  const furthest = new Map<string, number>();
  for (const { topic, partition, nextOffset } of positions) {
    const place = `${topic}/${partition}`;
    furthest.set(place, Math.max(nextOffset, furthest.get(place) ?? 0));
  }
  const ranges = (await Promise.all([...watched].map((topic) => bus.ranges(topic, beforeMs)))).flat();
  const waiting = ranges
    .map(({ topic, partition, startOffset, endOffset }) => {
      // Records that retention deleted count as done, because otherwise the alarm of an unread topic would never end.
      // A consumer that needs a deleted record halts and reports this.
      const done = Math.max(startOffset, furthest.get(`${topic}/${partition}`) ?? 0);
      return { topic, records: endOffset - done };
    })
    .filter(({ records }) => records > 0);
  return {
    records: waiting.reduce((sum, { records }) => sum + records, 0),
    topics: [...new Set(waiting.map(({ topic }) => topic))],
  };
}
