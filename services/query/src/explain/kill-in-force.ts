/** Finds the kills that led to a decision. */

type Flip = { event: string; scope: string | null; agentId?: string | null; happenedAt: string };

/**
 * How much later than a decision a kill may be dated. The gateway dates a kill after carrying it out, so a blocked
 * decision may have an earlier date.
 */
export const DATED_LATER_MS = 60_000;

/**
 * Returns the kills that were in force at the decision, at most one for each switch. The events are kills and
 * revives, newest first. If no kill was in force by the dates, returns the next kill after the decision.
 */
export function killsInForce<Event extends Flip>(events: readonly Event[], decidedAtMs: number): Event[] {
  const before = events.filter(({ happenedAt }) => Date.parse(happenedAt) <= decidedAtMs);
  const standing = SCOPES.flatMap((scope) => {
    const newest = new Map<string | null, Event>();
    for (const event of before.filter((one) => one.scope === scope)) {
      const whose = event.agentId ?? null;
      if (!newest.has(whose)) newest.set(whose, event);
    }
    return [...newest.values()].filter(({ event }) => event === 'agent.killed');
  });
  if (standing.length > 0) return standing;
  const next = events.findLast(
    ({ event, happenedAt }) => event === 'agent.killed' && Date.parse(happenedAt) > decidedAtMs,
  );
  return next === undefined ? [] : [next];
}

const SCOPES = ['agent', 'subtree', 'tenant', 'all'] as const;
