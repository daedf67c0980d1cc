/**
 * The rule for late decisions. There are two kinds: decisions that come too long after their requests, and records
 * that are not decided or recorded at all because a service is away. Every tenant is affected, so the alert has no
 * tenant.
 */
import { type Decision, durationInWords, GROUPS, type LogPosition, wireTime } from '@mandate/schemas';
import type { AlertRules } from './alert-rules.ts';
import type { Finding } from './finding.ts';

export type LagRule = Exclude<AlertRules['lag'], false>;

export function late(
  decision: Decision,
  { topic, partition, offset }: LogPosition,
  { lateMs }: LagRule,
): Finding[] {
  const behindMs = Date.parse(decision.decidedAt) - Date.parse(decision.appendedAt);
  const isLate = behindMs >= lateMs;
  if (!isLate && behindMs > lateMs / 2) return [];
  return [
    {
      rule: 'lag',
      tenant: null,
      subject: `${topic}/${partition}`,
      holds: isLate,
      order: offset,
      at: decision.decidedAt,
      message: isLate
        ? `Decisions fall ${Math.round(behindMs / 1_000)} s after their requests: are there enough deciders, and do Redis and the log answer?`
        : `Decisions fall in time again.`,
      facts: { behindMs, lateMs, topic, partition },
    },
  ];
}

/** How many records have waited too long for their group, and the topics of these records. */
export type Undone = { records: number; topics: readonly string[] };

type Group = typeof GROUPS.decider | typeof GROUPS.recorder;

const WAITS: Readonly<Record<Group, string>> = {
  [GROUPS.decider]: 'are not decided: is a decider there, and do Redis and the log answer?',
  [GROUPS.recorder]: 'are not recorded: is a recorder there, and does ClickHouse answer?',
};

/** @param atMs when the alerter checked; this time orders the findings, because they do not come from a record */
export function behind(
  group: Group,
  { records, topics }: Undone,
  { lateMs }: LagRule,
  atMs: number,
): Finding {
  const holds = records > 0;
  const waiting = records === 1 ? '1 record' : `${records} records`;
  return {
    rule: 'lag',
    tenant: null,
    subject: group,
    holds,
    order: atMs,
    at: wireTime(atMs),
    message: holds
      ? `For ${durationInWords(lateMs)} and longer ${waiting} of ${topics.join(', ')} ${WAITS[group]}`
      : `No records wait for ${group} now.`,
    facts: { group, records, topics: [...topics], lateMs },
  };
}
