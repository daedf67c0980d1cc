/** Records on their way into the tables, sorted by table, and how a pile lands there. */
import {
  type AuditClient,
  type ControlEvent,
  type Landed,
  type Quarantined,
  quarantine,
  type Recorded,
  recordAuditReads,
  recordControlEvents,
  recordDeadLetters,
  recordDecisions,
  recordRepublications,
  recordSettlements,
} from '@mandate/audit';
import type { AuditRead, DeadLetter, Decision, Republication, Settlement } from '@mandate/schemas';

export type Pile = {
  controlEvents: Recorded<ControlEvent>[];
  decisions: Recorded<Decision>[];
  settlements: Recorded<Settlement>[];
  deadLetters: Recorded<DeadLetter['deadLetter']>[];
  republications: Recorded<Republication>[];
  auditReads: Recorded<AuditRead>[];
  /** What is no record of its topic. */
  unreadable: Quarantined[];
};

export function emptyPile(): Pile {
  return {
    controlEvents: [],
    decisions: [],
    settlements: [],
    deadLetters: [],
    republications: [],
    auditReads: [],
    unreadable: [],
  };
}

/** How many records became rows, by table, and how many were set aside. */
export type LandedPile = Record<Exclude<keyof Pile, 'unreadable'>, Landed> & { unreadable: number };

/**
 * Lands the piles of several partitions together: one insert a table, where few records came. Resolves when all of it
 * is kept; on an error nothing is known, and all of it must be given again.
 *
 * Control events first: a row of the other tables thus proves that the epochs before it are on record, which is what a
 * recorder relies on when it takes over a partition (see epoch-in-force.ts).
 */
export async function land(audit: AuditClient, piles: readonly Pile[]): Promise<LandedPile> {
  const all = <T>(of: (pile: Pile) => readonly T[]) => piles.flatMap(of);
  const unreadable = all((pile) => pile.unreadable);
  const controlEvents = await recordControlEvents(
    audit,
    all((pile) => pile.controlEvents),
  );
  const [decisions, settlements, deadLetters, republications, auditReads] = await Promise.all([
    recordDecisions(
      audit,
      all((pile) => pile.decisions),
    ),
    recordSettlements(
      audit,
      all((pile) => pile.settlements),
    ),
    recordDeadLetters(
      audit,
      all((pile) => pile.deadLetters),
    ),
    recordRepublications(
      audit,
      all((pile) => pile.republications),
    ),
    recordAuditReads(
      audit,
      all((pile) => pile.auditReads),
    ),
    quarantine(audit, unreadable),
  ]);
  return {
    controlEvents,
    decisions,
    settlements,
    deadLetters,
    republications,
    auditReads,
    unreadable: unreadable.length,
  };
}
