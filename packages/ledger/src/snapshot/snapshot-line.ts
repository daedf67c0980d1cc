/**
 * A snapshot is NDJSON: a head, the content of the fold, and an end with a digest of all lines. Each line can be
 * applied at once: a counter comes before the deliveries that charged the counter, and deliveries refer to it by
 * number.
 */

import type { EpochInForce } from '@mandate/schemas';
import type { ByUnit } from '@mandate/schemas/core';
import type { RateReference, Turn } from '@mandate/step';
import type { Deferral } from '../memory/deferral.ts';
import type { Flag } from '../memory/flags.ts';
import type { Grant } from '../memory/grants.ts';
import type {
  Duplicate,
  Lease,
  PendingOutcome,
  Settled,
  StoredDecision,
  UnitLease,
  Unremembered,
} from '../memory/remembered.ts';
import type { BudgetReference, KillReceipt, Receipt } from '../port.ts';

/**
 * The version of the format. Increase it if a line changes its meaning, or if a new kind of line or charging is
 * needed. An older snapshot is then skipped, and the log is folded from its start.
 */
export const SNAPSHOT_VERSION = 14;

export type SnapshotHead = {
  line: 'snapshot';
  version: number;
  replayMemoryMs: number;
  clockMs: number;
  /** The approximate number of deliveries in the snapshot. */
  deliveries: number;
  /** For each partition of the decisions topic, the last offset in the snapshot. */
  positions: [partition: number, offset: number][];
  digests: [partition: number, sha256: string][];
  epochs: [partition: number, epoch: EpochInForce][];
};

type Answered<Answer> = { id: string; answer: Answer; forgetAtMs: number };
type Delivered<Kind> = { position: [topic: string, partition: number, offset: number] } & Omit<
  Kind,
  'agent' | 'log' | 'offset' | 'unpublished' | 'another'
>;

/** `most`: the limit of the counter when it was charged. */
export type StoredCharge = [counter: number, most: number | null];
export type StoredLease = Omit<Lease, 'charges' | 'units'> & {
  charges: StoredCharge[];
  units?: ByUnit<Omit<UnitLease, 'charges'> & { charges: StoredCharge[] }>;
};
type StoredEntry = Omit<Delivered<StoredDecision>, 'lease'> & { lease: StoredLease | null };

export type StoredDelivery =
  | StoredEntry
  | Delivered<Duplicate>
  | Delivered<Settled>
  | Delivered<Unremembered>;

export type StoredDeferral = Omit<Deferral, 'rates'> & { rates: RateReference[] };

export type SnapshotLine =
  | SnapshotHead
  | { line: 'flag'; flag: Flag }
  | ({ line: 'kill' } & Answered<KillReceipt>)
  | ({ line: 'revive' } & Answered<true>)
  | { line: 'tenant'; tenant: string; sequence: number }
  | ({ line: 'adjustment'; tenant: string } & Answered<Receipt & { spent: number }>)
  | ({ line: 'approval'; tenant: string } & Answered<Receipt & { expiresAtMs: number }>)
  | { line: 'grant'; tenant: string; grant: Omit<Grant, 'deferral'> & { deferral: StoredDeferral | null } }
  | { line: 'deferral'; tenant: string; agentId: string; deferral: StoredDeferral }
  | {
      line: 'budget';
      tenant: string;
      /** The number of the counter. Later lines use this number. */
      number: number;
      budget: BudgetReference;
      /** The sum of a lifetime counter. For a windowed counter, `buckets` has the amount of each bucket. */
      spent: number;
      buckets: [bucket: number, amount: number][];
    }
  | { line: 'rate'; tenant: string; agentId: string; tool: string | null; windowMs: number; times: number[] }
  | { line: 'turn'; tenant: string; turn: Turn }
  | { line: 'delivery'; tenant: string; agentId: string; delivery: StoredDelivery }
  | { line: 'pendingOutcome'; key: string; settlement: PendingOutcome }
  | { line: 'end'; lines: number; sha256: string };
