/**
 * The ledger as its log has it: every record of the decisions topic, each partition in its order, whatever the
 * interleaving. What deciders of an older epoch wrote behind a `ledger.epoch` is void: the ledger that they charged is
 * gone.
 */
import type { DecisionsRecord } from '@mandate/schemas';
import { DEFAULTS } from '@mandate/schemas';
import { isForgotten } from '../memory/deliveries.ts';
import { forget } from '../memory/forget.ts';
import type { Delivery } from '../memory/remembered.ts';
import { createState, type LedgerState, openTenant } from '../memory/state.ts';
import type { FoldInput } from '../port.ts';
import { foldDecision } from './fold-decision.ts';
import { foldAdjustment, foldApproval, foldKill, foldRevive } from './fold-operations.ts';
import { type EarlySettlement, foldSettlement } from './fold-settlement.ts';

export type Fold = {
  readonly state: LedgerState;
  /** By partition of the decisions topic: the last offset that was folded. */
  readonly positions: Map<number, number>;
  /** By partition: the epoch that holds there from now on. */
  readonly epochs: Map<number, string>;
  /** Outcomes whose decision is not on the log yet. */
  readonly early: Map<string, EarlySettlement>;
};

export function createFold(options: { replayMemoryMs?: number } = {}): Fold {
  return {
    state: createState(options.replayMemoryMs ?? DEFAULTS.replayMemoryMs),
    positions: new Map(),
    epochs: new Map(),
    early: new Map(),
  };
}

/** Folds one record in; one that was folded before, by its place, is passed over. */
export function foldRecord(fold: Fold, { source, record }: FoldInput): void {
  const { partition, offset } = source;
  const position = fold.positions.get(partition);
  if (position !== undefined && offset <= position) return;
  fold.positions.set(partition, offset);

  const { state } = fold;
  const epoch = epochOf(record);
  if (epoch !== null && epoch.id !== (fold.epochs.get(partition) ?? epoch.id)) {
    // The numbers it took stay taken, so that no sequence is ever given twice.
    const tenant = openTenant(state, epoch.tenant);
    tenant.sequence = Math.max(tenant.sequence, epoch.sequence);
    return;
  }

  switch (record.event) {
    case 'action.decided':
      foldDecision(state, record.decision, fold.early);
      break;
    case 'action.settled':
      foldSettlement(state, record.settlement, fold.early);
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
      fold.epochs.set(partition, record.epoch.id);
      break;
  }
  forget(state, forgettingMs(state), isInHand);
}

/**
 * What a fold remembers beyond what a ledger does. Partitions of a log are not read at the same pace, and an outcome
 * must still find what it settles: so everything is kept for as long again.
 */
export function isKeptByFold(state: LedgerState, delivery: Delivery): boolean {
  return !isForgotten(delivery, forgettingMs(state)) || isInHand(delivery);
}

function forgettingMs(state: LedgerState): number {
  return state.clockMs - state.replayMemoryMs;
}

/** How many deliveries of a partition, at the most, deciders have taken and not committed. */
const IN_HAND = 10_000;

/** Its record may be written once more, however long its decider was away. */
function isInHand({ offset, log }: Delivery): boolean {
  return typeof offset === 'string' || offset > log.highest - IN_HAND;
}

/** Of those records that a newer epoch makes void. */
function epochOf(record: DecisionsRecord): { id: string; tenant: string; sequence: number } | null {
  if (record.event === 'action.decided') {
    const { ledgerEpoch, ledgerSequence, tenant } = record.decision;
    return { id: ledgerEpoch, tenant, sequence: ledgerSequence };
  }
  if (record.event === 'action.settled') {
    const { ledgerEpoch, ledgerSequence, tenant } = record.settlement;
    return { id: ledgerEpoch, tenant, sequence: ledgerSequence };
  }
  return null;
}
