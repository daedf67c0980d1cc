/**
 * Whether deciders and recorders keep up, from the positions of their groups on the log. This also works while all of
 * them are away, when no record would ever show it.
 */
import type { Bus } from '@mandate/bus';
import { GROUPS, TOPICS } from '@mandate/schemas';
import type { Alarms } from './rules/alarms.ts';
import type { Finding } from './rules/finding.ts';
import { behind, type LagRule, type Undone } from './rules/lag-rule.ts';

/** `topics` are watched even if the group has never read them. Topics that a group has read are always watched. */
const WATCHED = [
  { group: GROUPS.decider, topics: [TOPICS.actions] },
  // A plane without an audit needs no recorder.
  { group: GROUPS.recorder, topics: [] },
] as const;

type Log = Pick<Bus, 'positions' | 'ranges'>;

export async function groupsBehind(
  bus: Log,
  { alarms, lag, nowMs }: { alarms: Alarms; lag: LagRule; nowMs: number },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { group, topics } of WATCHED) {
    // As for late decisions, the alarm ends at half of the limit.
    const { stands = false } = alarms.get('lag', null, group) ?? {};
    const lateMs = stands ? Math.floor(lag.lateMs / 2) : lag.lateMs;
    const undone = await undoneBy(bus, group, topics, nowMs - lateMs);
    if (undone !== null) findings.push(behind(group, undone, lag, nowMs));
  }
  return findings;
}

/**
 * Returns how many records from before a time are not done, or null if nothing is watched. Each set of audit tables
 * has its own recorder group, and an abandoned group never moves again. So a record is done if any of the groups has
 * done it.
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
      // Records that retention deleted do not wait. A consumer that needs them halts and reports it. Without this,
      // the alarm of a topic without readers would never end.
      const done = Math.max(startOffset, furthest.get(`${topic}/${partition}`) ?? 0);
      return { topic, records: endOffset - done };
    })
    .filter(({ records }) => records > 0);
  return {
    records: waiting.reduce((sum, { records }) => sum + records, 0),
    topics: [...new Set(waiting.map(({ topic }) => topic))],
  };
}
