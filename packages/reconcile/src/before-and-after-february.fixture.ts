/** A log on which a budget was charged, settled and adjusted just before February and just after its start. */
import { type DecisionsRecord, TOPICS, wireTime } from '@mandate/schemas';
import { buildCharged, buildSettlement } from '@mandate/testing';
import type { Audited, AuditRow } from './laws/audit-rows.ts';

export const FEBRUARY = Date.UTC(2026, 1);

export const BUDGET = { scope: 'agent', subject: 'bot', id: 'total', windowMs: null } as const;

function charged(n: number, appendedAtMs: number): DecisionsRecord {
  const decision = buildCharged(n, BUDGET, { appendedAtMs, cumulativeMicros: n * 1_000_000 });
  return { event: 'action.decided', decision };
}

/** The settlement of the `n`th decision, which releases a tenth of a dollar. */
function settled(n: number, settledAtMs: number): DecisionsRecord {
  const source = { topic: TOPICS.actions, partition: 0, offset: 100 + n };
  const moved = { deltaMicros: -100_000, chargedMicros: 900_000, cumulativeMicros: 900_000 };
  const settlement = buildSettlement(n, { settledAtMs, source, ...moved, ledgerSequence: 100 + n });
  return { event: 'action.settled', settlement };
}

function adjusted(n: number, atMs: number): DecisionsRecord {
  const made = { id: `adj-${n}`, by: 'ops', reason: '', at: wireTime(atMs), tenant: 'acme', budget: BUDGET };
  const ledger = { ledgerEpoch: 'ep-1', ledgerSequence: 200 + n };
  return { event: 'budget.adjusted', adjustment: { ...made, ...ledger, deltaMicros: 7, spentMicros: 0 } };
}

export const LOG: readonly DecisionsRecord[] = [
  {
    event: 'ledger.epoch',
    epoch: { id: 'ep-1', generation: 1, previous: null, reason: 'test', at: '2026-01-01T00:00:00Z' },
  },
  charged(1, FEBRUARY - 1),
  charged(2, FEBRUARY),
  // The outcome of the dropped decision. Without the decision, the outcome does not count.
  settled(1, FEBRUARY + 1),
  settled(2, FEBRUARY + 1),
  adjusted(1, FEBRUARY - 1),
  adjusted(2, FEBRUARY),
];

/** The amount that the budget contains, and the part of it that an audit from February on contains. */
export const OF_ALL = 1_800_014;
export const OF_KEPT = 900_007;

/** Yields the rows that the audit's table contains after the whole log was recorded. */
export async function* rowsOfLog(table: Audited): AsyncGenerator<AuditRow> {
  for (const [logOffset, record] of LOG.entries()) {
    const row = { void: false, logPartition: 0, logOffset };
    if (table === 'decisions' && record.event === 'action.decided') {
      yield { ...row, id: record.decision.id, atMs: Date.parse(record.decision.appendedAt) };
    } else if (table === 'settlements' && record.event === 'action.settled') {
      yield { ...row, id: record.settlement.id, atMs: Date.parse(record.settlement.settledAt) };
    }
  }
}
