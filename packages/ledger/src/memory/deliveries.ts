/** Functions that answer questions about a remembered delivery. */
import type { Lease, ProcessedDelivery, StoredDecision } from './remembered.ts';

/**
 * True if the delivery is forgotten. A delivery that the log does not have yet is never forgotten, because it was
 * charged and its record must still be published.
 */
export function isForgotten(delivery: ProcessedDelivery, nowMs: number): boolean {
  return delivery.forgetAtMs <= nowMs && delivery.unpublished === null;
}

/**
 * Returns the time until which an answer is remembered at least. The request's deadline is over by then, because no
 * deadline is longer than the replay memory. This is true even if the log's clock is fast.
 */
export function replayUntilMs(
  { atMs, appendedAtMs }: { atMs: number; appendedAtMs: number },
  replayMemoryMs: number,
): number {
  return Math.max(atMs, appendedAtMs) + replayMemoryMs;
}

/**
 * True if the next attempt may be decided. False after a success, after a final block, or while this attempt may
 * still run.
 */
export function mayBeRetried(entry: StoredDecision, nowMs: number): boolean {
  if (entry.verdict === 'BLOCK') return !entry.final;
  if (entry.lease === null) return false;
  if (entry.lease.result === null) return entry.lease.expiresAtMs <= nowMs;
  return entry.lease.result !== 'succeeded';
}

/** True for an ALLOW that may still run, or that may still reach the log. */
export function isOpen(entry: StoredDecision, nowMs: number): entry is StoredDecision & { lease: Lease } {
  const { lease, unpublished } = entry;
  if (lease === null) return false;
  return unpublished !== null || (lease.result === null && lease.expiresAtMs > nowMs);
}
