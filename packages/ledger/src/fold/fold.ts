/**
 * The ledger's state, computed (folded) from the decisions topic. Each partition is read in its order, and partitions
 * may be mixed in any way. After a `ledger.epoch`, records from deciders of an older epoch are void, because their
 * ledger no longer exists.
 */

import type { DecisionsHead, EpochInForce } from '@mandate/schemas';
import { DEFAULTS, epochAfter, holdsIn, replayMemoryAfter } from '@mandate/schemas/core';
import { isForgotten } from '../memory/deliveries.ts';
import { forget } from '../memory/forget.ts';
import { forgetPendingOutcomes } from '../memory/out-of-order-outcomes.ts';
import { lengthOf } from '../memory/queue.ts';
import type { ProcessedDelivery } from '../memory/remembered.ts';
import { createState, type LedgerState, openTenant } from '../memory/state.ts';
import { freeTurns } from '../memory/turns.ts';
import type { FoldInput } from '../port.ts';
import { foldDecision } from './fold-decision.ts';
import { foldAdjustment, foldApproval, foldKill, foldRevive } from './fold-operations.ts';
import { foldSettlement } from './fold-settlement.ts';

export type Fold = {
  readonly state: LedgerState;
  /** For each partition of the decisions topic, the last folded offset. */
  readonly positions: Map<number, number>;
  /**
   * For each partition, the digest of the record at that position, if the reader stored it. It shows whether a log is
   * the log that was folded.
   */
  readonly digests: Map<number, string>;
  /** For each partition, the epoch that is in force from this position on. */
  readonly epochs: Map<number, EpochInForce>;
  /**
   * The partitions that are not read to their end, each with the time of its latest record (0 before the first
   * record). Such a partition may still repeat requests from that time, even if other partitions are read further.
   */
  readonly unfinished: Map<number, number>;
};

export function createFold(options: { replayMemoryMs?: number } = {}): Fold {
  return {
    state: createState(options.replayMemoryMs ?? DEFAULTS.replayMemoryMs),
    positions: new Map(),
    digests: new Map(),
    epochs: new Map(),
    unfinished: new Map(),
  };
}

/**
 * Returns the number of remembered deliveries. This number determines the memory of the ledger and the size of a
 * snapshot.
 */
export function deliveriesIn({ state }: Fold): number {
  return lengthOf(state.forgetting);
}

/** Folds one record. Skips a record if its position is already folded. */
export function foldRecord(fold: Fold, { source, record }: FoldInput): void {
  const { partition, offset } = source;
  const position = fold.positions.get(partition);
  if (position !== undefined && offset <= position) return;
  fold.positions.set(partition, offset);

  const { state, unfinished } = fold;
  const reachedMs = unfinished.get(partition);
  if (reachedMs !== undefined) unfinished.set(partition, Math.max(reachedMs, timeOf(record)));
  const inForce = fold.epochs.get(partition) ?? null;
  const made = madeIn(record);
  if (made !== null && !holdsIn(inForce, made.ledgerEpoch)) {
    // The sequence of a void record stays used, so that no sequence is used twice.
    const tenant = openTenant(state, made.tenant);
    tenant.sequence = Math.max(tenant.sequence, made.ledgerSequence);
    return;
  }

  switch (record.event) {
    case 'action.decided':
      foldDecision(state, record.decision);
      break;
    case 'action.settled':
      foldSettlement(state, record.settlement);
      break;
    case 'agent.killed':
      foldKill(state, record.kill);
      break;
    case 'agent.revived':
      foldRevive(state, record.revive);
      break;
    case 'budget.adjusted':
      foldAdjustment(state, record.adjustment);
      break;
    case 'approval.recorded':
      foldApproval(state, record.approval);
      break;
    case 'ledger.epoch':
      state.replayMemoryMs = nextReplayMemory(fold, record.epoch);
      fold.epochs.set(partition, epochAfter(inForce, record.epoch));
      break;
  }
  const beforeMs = Math.min(state.clockMs, ...unfinished.values()) - state.replayMemoryMs;
  forget(state, beforeMs, { isKept: isInFlight });
  if (made !== null) freeTurns(openTenant(state, made.tenant).turns, beforeMs);
  if (state.pendingOutcomes.size > IN_FLIGHT) forgetPendingOutcomes(state, beforeMs);
}

/**
 * True if the fold still remembers a delivery. Until all partitions are read, it remembers deliveries for twice the
 * replay memory. Partitions are read at different speeds, and an outcome must still find its decision.
 */
export function isKeptByFold(state: LedgerState, delivery: ProcessedDelivery): boolean {
  return !isForgotten(delivery, state.clockMs - state.replayMemoryMs) || isInFlight(delivery);
}

function timeOf(record: DecisionsHead): number {
  switch (record.event) {
    case 'action.decided':
      return Date.parse(record.decision.decidedAt);
    case 'action.settled':
      return Date.parse(record.settlement.settledAt);
    case 'agent.killed':
      return Date.parse(record.kill.at);
    case 'agent.revived':
      return Date.parse(record.revive.at);
    case 'budget.adjusted':
      return Date.parse(record.adjustment.at);
    case 'approval.recorded':
      return Date.parse(record.approval.at);
    case 'ledger.epoch':
      return Date.parse(record.epoch.at);
  }
}

/** The maximum number of deliveries of a partition that deciders have received and not committed. */
const IN_FLIGHT = 10_000;

/** True if the record of the delivery may still be written again, even after a long pause of its decider. */
function isInFlight({ offset, log }: ProcessedDelivery): boolean {
  return offset > log.highest - IN_FLIGHT;
}

/** Returns the replay memory of the next epoch, in milliseconds. See `replayMemoryAfter`. */
export function nextReplayMemory(
  { state, epochs }: Pick<Fold, 'state' | 'epochs'>,
  epoch: { replayMemoryMs?: number | undefined },
): number {
  return replayMemoryAfter(epochs.size === 0 ? null : state.replayMemoryMs, epoch);
}

/** Returns the highest generation on the log. A restored ledger uses a higher one. */
export function highestGeneration({ epochs }: Pick<Fold, 'epochs'>): number {
  return Math.max(0, ...[...epochs.values()].map(({ generation }) => generation));
}

/** Returns the epoch, sequence and tenant of a record that a newer epoch can make void. Null for other records. */
function madeIn(
  record: DecisionsHead,
): { ledgerEpoch: string; ledgerSequence: number; tenant: string } | null {
  if (record.event === 'action.decided') return record.decision;
  return record.event === 'action.settled' ? record.settlement : null;
}
