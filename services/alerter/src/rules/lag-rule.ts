/** Decisions fall late: so long after their request was on the log. It is nobody's in particular, so it has no tenant. */
import type { Decision } from '@mandate/schemas';
import type { AlertRules } from './alert-rules.ts';
import type { Finding } from './finding.ts';

type LagRule = Exclude<AlertRules['lag'], false>;
type Place = { topic: string; partition: number; offset: number };

export function late(
  decision: Decision,
  { topic, partition, offset }: Place,
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
      said: isLate
        ? `Decisions fall ${Math.round(behindMs / 1_000)} s after their requests: are there enough deciders, and do Redis and the log answer?`
        : `Decisions fall in time again.`,
      facts: { behindMs, lateMs, topic, partition },
    },
  ];
}
