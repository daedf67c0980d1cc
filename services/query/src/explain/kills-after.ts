/** The kills that an ALLOW may have been withheld for: whether it was, only the gateway that answered knew. */
import { CAPS, type Decision, durationInWords } from '@mandate/schemas';

type Flip = {
  event: string;
  scope: 'agent' | 'family' | 'tenant' | 'all' | null;
  happenedAt: string;
  ledgerSequence: number | null;
  ledgerEpoch: string | null;
};

type Allowed = Pick<Decision, 'verdict' | 'decidedAt' | 'ledgerSequence' | 'ledgerEpoch'>;

/**
 * Takes kills and revives, the newest first. Returns the kills after an ALLOW, oldest first, while its answer may have
 * been waited for. A waiting caller began before the decision, and waits no longer than `CAPS.waitMs`; a caller that asks
 * for it later has no such bound.
 */
export function killsAfter<Event extends Flip>(events: readonly Event[], decision: Allowed) {
  if (decision.verdict !== 'ALLOW') return [];
  const decidedAtMs = Date.parse(decision.decidedAt);
  return events
    .filter((event) => event.event === 'agent.killed' && isBehind(event, decision, decidedAtMs))
    .map((kill) => ({ ...kill, words: inWords(kill, Date.parse(kill.happenedAt) - decidedAtMs) }))
    .reverse();
}

/** By the ledger's order where it is known: the gateway dates a kill, and the ledger a decision. */
function isBehind(kill: Flip, { ledgerSequence, ledgerEpoch }: Allowed, decidedAtMs: number): boolean {
  const apartMs = Date.parse(kill.happenedAt) - decidedAtMs;
  if (apartMs > CAPS.waitMs) return false;
  const isOrdered = kill.ledgerSequence !== null && kill.ledgerEpoch === ledgerEpoch;
  return isOrdered ? Number(kill.ledgerSequence) > ledgerSequence : apartMs >= 0;
}

function inWords({ scope }: Flip, apartMs: number): string {
  const whom = {
    agent: 'This agent',
    family: 'A family that it is in',
    tenant: 'Its tenant',
    all: 'Every agent',
  }[scope ?? 'agent'];
  const when = apartMs > 0 ? `${durationInWords(apartMs)} later` : 'at once after it';
  return `${whom} was killed ${when}: if the answer had not been handed over by then, the agent was told BLOCK, AGENT_KILLED.`;
}
