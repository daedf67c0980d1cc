/** Finds the kills that may have withheld an ALLOW. Only the gateway that answered knew whether a kill did. */
import { CAPS, type Decision, durationInWords } from '@mandate/schemas';

type Flip = {
  event: string;
  scope: 'agent' | 'subtree' | 'tenant' | 'all' | null;
  happenedAt: string;
  ledgerSequence: number | null;
  ledgerEpoch: string | null;
};

type Allowed = Pick<Decision, 'verdict' | 'decidedAt' | 'ledgerSequence' | 'ledgerEpoch'>;

/**
 * Takes kills and revives, newest first. Returns the kills after an ALLOW, oldest first, while a caller may have
 * waited for the answer. A waiting caller began before the decision, and waits at most `CAPS.waitMs`. A caller that
 * reads the decision later has no such limit.
 */
export function killsAfter<Event extends Flip>(events: readonly Event[], decision: Allowed) {
  if (decision.verdict !== 'ALLOW') return [];
  const decidedAtMs = Date.parse(decision.decidedAt);
  return events
    .filter((event) => event.event === 'agent.killed' && isAfter(event, decision, decidedAtMs))
    .map((kill) => ({ ...kill, words: inWords(kill, Date.parse(kill.happenedAt) - decidedAtMs) }))
    .reverse();
}

/**
 * True if the kill came after the decision. If the ledger has numbered kill and decision, these numbers count,
 * because the two dates come from different clocks.
 */
function isAfter(kill: Flip, { ledgerSequence, ledgerEpoch }: Allowed, decidedAtMs: number): boolean {
  const apartMs = Date.parse(kill.happenedAt) - decidedAtMs;
  if (apartMs > CAPS.waitMs) return false;
  const isOrdered = kill.ledgerSequence !== null && kill.ledgerEpoch === ledgerEpoch;
  return isOrdered ? Number(kill.ledgerSequence) > ledgerSequence : apartMs >= 0;
}

function inWords({ scope }: Flip, apartMs: number): string {
  const whom = {
    agent: 'This agent',
    subtree: 'A subtree that it is in',
    tenant: 'Its tenant',
    all: 'Every agent',
  }[scope ?? 'agent'];
  const when = apartMs > 0 ? `${durationInWords(apartMs)} later` : 'at once after it';
  return `${whom} was killed ${when}: if the answer had not been delivered by then, the agent got BLOCK with AGENT_KILLED.`;
}
