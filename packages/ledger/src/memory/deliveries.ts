/** What the ledger asks of a delivery that it remembers. */
import type { Lease, ProcessedDelivery, StoredDecision } from './remembered.ts';

/** What the log does not hold yet is never forgotten: it was charged, and its record must still be published. */
export function isForgotten(delivery: ProcessedDelivery, nowMs: number): boolean {
  return delivery.forgetAtMs <= nowMs && delivery.unpublished === null;
}

/**
 * Until when an answer is remembered, at the least. No deadline is longer than the replay memory, so that by then it is
 * over, even where the log's clock is ahead of the ledger's.
 */
export function replayUntilMs(
  { atMs, appendedAtMs }: { atMs: number; appendedAtMs: number },
  replayMemoryMs: number,
): number {
  return Math.max(atMs, appendedAtMs) + replayMemoryMs;
}

/** May the next attempt be decided? Not after a success, a final block, or while this one may still run. */
export function mayBeRetried(entry: StoredDecision, nowMs: number): boolean {
  if (entry.verdict === 'BLOCK') return !entry.final;
  if (entry.lease === null) return false;
  if (entry.lease.result === null) return entry.lease.expiresAtMs <= nowMs;
  return entry.lease.result !== 'succeeded';
}

/** An ALLOW that may still run, or still reach the log. */
export function isOpen(entry: StoredDecision, nowMs: number): entry is StoredDecision & { lease: Lease } {
  const { lease, unpublished } = entry;
  if (lease === null) return false;
  return unpublished !== null || (lease.result === null && lease.expiresAtMs > nowMs);
}
