/**
 * Whether deciders and recorders get to what waits for them, by where their groups stand on the log: so it is told, too,
 * when all of them are away, and no record will ever show it.
 */
import type { Bus } from '@mandate/bus';
import { GROUPS, TOPICS } from '@mandate/schemas';
import type { Alarms } from './rules/alarms.ts';
import type { Finding } from './rules/finding.ts';
import { behind, type LagRule, type Undone } from './rules/lag-rule.ts';

/** With topics that wait for a group where it has never been; where it has been, it is watched in any case. */
const WATCHED = [
  { group: GROUPS.decider, topics: [TOPICS.actions] },
  // Who has no audit misses no recorder.
  { group: GROUPS.recorder, topics: [] },
] as const;

type Log = Pick<Bus, 'positions' | 'ranges'>;

export async function groupsBehind(
  bus: Log,
  { alarms, lag, nowMs }: { alarms: Alarms; lag: LagRule; nowMs: number },
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { group, topics } of WATCHED) {
    // As with decisions that fall late, half of it ends it.
    const { stands = false } = alarms.get('lag', null, group) ?? {};
    const lateMs = stands ? Math.floor(lag.lateMs / 2) : lag.lateMs;
    const undone = await undoneBy(bus, group, topics, nowMs - lateMs);
    if (undone !== null) findings.push(behind(group, undone, lag, nowMs));
  }
  return findings;
}

/**
 * How many records from before a time are not done; null if nothing is watched. Each set of audit tables has its own
 * group under the recorder's name, and a group that was given up never moves again: work that any of them has done is
 * done.
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
      // Records that retention took wait no more: the consumer that halts for them reports it, and a topic without
      // readers would never end.
      const done = Math.max(startOffset, furthest.get(`${topic}/${partition}`) ?? 0);
      return { topic, records: endOffset - done };
    })
    .filter(({ records }) => records > 0);
  return {
    records: waiting.reduce((sum, { records }) => sum + records, 0),
    topics: [...new Set(waiting.map(({ topic }) => topic))],
  };
}
