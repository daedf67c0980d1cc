/** Which kill a decision goes back to. */

type Flip = { event: string; scope: string | null; happenedAt: string };

/** The gateway dates a kill when it was carried out, so what it stopped at once may bear an earlier time. */
export const DATED_LATER_MS = 60_000;

/**
 * Of kills and revives, the newest first: the kills that stood when the decision fell, at most one for each scope. Where
 * none did by its date, the one that came next.
 */
export function killsInForce<Event extends Flip>(events: readonly Event[], decidedAtMs: number): Event[] {
  const standing = SCOPES.flatMap((scope) => {
    const newest = events.find(
      (event) => event.scope === scope && Date.parse(event.happenedAt) <= decidedAtMs,
    );
    return newest?.event === 'agent.killed' ? [newest] : [];
  });
  if (standing.length > 0) return standing;
  const next = events.findLast(
    ({ event, happenedAt }) => event === 'agent.killed' && Date.parse(happenedAt) > decidedAtMs,
  );
  return next === undefined ? [] : [next];
}

const SCOPES = ['agent', 'tenant', 'all'] as const;
